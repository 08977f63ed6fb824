import { Modal } from "@mantine/core";
import { useDesigner } from "../designer-context.ts";
import type { AddWhere } from "../designer-context.ts";
import { titleIn } from "../model/graph-edit.ts";
import type { NodeKind } from "../../../graph/node-look.tsx";
import { Palette } from "../palette/palette.tsx";
import { designer } from "../../../strings/en/designer.ts";

const text = designer.palette;

/** The palette in a dialog, to add a node after another one, into an edge, or on a narrow screen. */
export function PaletteDialog(props: {
  where: AddWhere | null;
  onTake: (kind: NodeKind, where: AddWhere) => void;
  onClose: () => void;
}) {
  const { where, onTake, onClose } = props;
  const { definition } = useDesigner().draft;
  return (
    // The new node gets the focus, not the element that had it before.
    <Modal
      opened={where !== null}
      onClose={onClose}
      title={titleOf(where, (id) => titleIn(definition, id))}
      returnFocus={false}
      padding="sm"
    >
      {where === null ? null : <Palette autoFocus height="min(60dvh, 34rem)" onTake={(kind) => onTake(kind, where)} />}
    </Modal>
  );
}

function titleOf(where: AddWhere | null, name: (id: string) => string): string {
  if (where?.onEdge !== undefined) return text.insertBetween(name(where.onEdge.from), name(where.onEdge.to));
  if (where?.after !== undefined) return text.addAfter(name(where.after.from), where.after.on);
  return where?.into == null ? text.add : text.addInside(name(where.into));
}
