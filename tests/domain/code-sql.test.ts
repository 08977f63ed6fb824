import { Database } from "bun:sqlite";
import { describe, expect, test } from "bun:test";
import type { JsonValue } from "../../schema/contract/json.ts";
import { bindSqlValues } from "../../schema/contract/sql-values.ts";
import type { SqlPlaceholders, SqlValue } from "../../schema/contract/sql-values.ts";
import { checkCode, renderCode } from "../../worker/domain/template.ts";
import { HOSTILE_VALUES } from "../support/hostile-values.ts";

function rendered(query: string, value: JsonValue | undefined) {
  const result = renderCode("sql", query, () => value);
  if (!result.ok) throw new Error(result.failure.message);
  return result;
}

/** Runs a query as a driver would: prepared, with its parameters beside it. */
function runInSqlite(query: string, value: JsonValue | undefined, style: SqlPlaceholders): unknown[] {
  const { text, values } = rendered(query, value);
  const { text: statement, parameters } = bindSqlValues(text, values, style);
  const database = new Database(":memory:");
  try {
    database.run("create table guests (name, note)");
    database.run("insert into guests values ('first', 'it''s here')");
    const bound: SqlValue[] = parameters.map((parameter) => parameter.value);
    const named = Object.fromEntries(parameters.map((parameter) => [`:${parameter.name}`, parameter.value]));
    const rows =
      style === "sqlite" ? database.query(statement).values(named) : database.query(statement).values(...bound);
    const tables = database.query("select count(*) from sqlite_master").values();
    expect(tables).toEqual([[1]]);
    return rows.map(([first]) => first);
  } finally {
    database.close();
  }
}

/** Each gives the value back in its first column. */
const ACCEPTED: readonly string[] = [
  "select {{v}}",
  "select {{v}} as a, 'it''s' -- {{w}}\n, {{v}} /* don't {{w}} */",
  "select a from (select {{v}} as a) where a = {{v}} and a in ({{v}}, 'x') limit 1",
  "insert into guests (name, note) values ({{v}}, {{v}}) returning name",
  "update guests set name = {{v}}, note = {{v}} where \"note\" like 'it%' returning `name`",
  "select case when {{v}} = {{v}} then {{v}} else 'other' end from [guests] order by case when {{v}} = 'a' then name end",
  "with x as (select {{v}} as a union select {{v}}) select a from x group by a having a = {{v}}",
  "select coalesce(null, {{v}}) from guests where {{v}} is not null",
];

describe("SQL, run by SQLite", () => {
  test.each([...ACCEPTED])("every hostile value is bound, whole: %s", (query) => {
    expect(checkCode("sql", query)).toEqual([]);
    let cells = 0;
    for (const value of [...Object.values(HOSTILE_VALUES), "a\0b"]) {
      for (const style of ["sqlite", "mysql"] as const) {
        expect(runInSqlite(query, value, style)).toEqual([value]);
        cells += 1;
      }
    }
    expect(cells).toBe((Object.keys(HOSTILE_VALUES).length + 1) * 2);
  });

  test.each<[JsonValue | undefined, string, unknown]>([
    [null, "null", null],
    [5, "integer", 5],
    [-1.5, "real", -1.5],
    [true, "integer", 1],
    ["5", "text", "5"],
    ["null", "text", "null"],
    ["", "text", ""],
    [undefined, "text", ""],
    [{ a: ["b"] }, "text", '{"a":["b"]}'],
    [[1, null], "text", "[1,null]"],
  ])("%j is bound with its type (%s)", (value, type, expected) => {
    expect(runInSqlite("select typeof({{v}})", value, "sqlite")).toEqual([type]);
    expect(runInSqlite("select {{v}}", value, "mysql")).toEqual([expected]);
  });
});

describe("what a job carries, and what each database gets", () => {
  const query = "select * from t where a = {{a}} or b = {{b}}::int or c = {{a}}";
  const job = () => {
    const result = renderCode("sql", query, ([name]) => (name === "a" ? 'it\'s "x"' : 5));
    if (!result.ok) throw new Error(result.failure.message);
    return result;
  };

  test("a path has one name, and its value is JSON text", () => {
    expect(job()).toEqual({
      ok: true,
      text: "select * from t where a = :bellhop_value_1 or b = :bellhop_value_2::int or c = :bellhop_value_1",
      values: { bellhop_value_1: '"it\'s \\"x\\""', bellhop_value_2: "5" },
    });
  });

  test.each<[SqlPlaceholders, string, SqlValue[]]>([
    ["postgres", "select * from t where a = $1 or b = $2::int or c = $1", ['it\'s "x"', 5]],
    ["mysql", "select * from t where a = ? or b = ?::int or c = ?", ['it\'s "x"', 5, 'it\'s "x"']],
    [
      "sqlserver",
      "select * from t where a = @bellhop_value_1 or b = @bellhop_value_2::int or c = @bellhop_value_1",
      ['it\'s "x"', 5],
    ],
    [
      "sqlite",
      "select * from t where a = :bellhop_value_1 or b = :bellhop_value_2::int or c = :bellhop_value_1",
      ['it\'s "x"', 5],
    ],
  ])("%s", (style, text, parameters) => {
    const { text: query, values } = job();
    const bound = bindSqlValues(query, values, style);
    expect(bound.text).toBe(text);
    expect(bound.parameters.map(({ value }) => value)).toEqual(parameters);
  });

  test("more than nine values keep apart", () => {
    const names = Array.from({ length: 12 }, (_, index) => `{{n.${index}}}`);
    const result = renderCode("sql", `select ${names.join(", ")}`, ([, index]) => Number(index));
    if (!result.ok) throw new Error(result.failure.message);
    const { text, parameters } = bindSqlValues(result.text, result.values, "postgres");
    expect(text).toBe(`select ${names.map((_, index) => `$${index + 1}`).join(", ")}`);
    expect(parameters.map(({ value }) => value)).toEqual(names.map((_, index) => index));
  });

  test("a placeholder without its value is an error, and so is a value that is no JSON", () => {
    expect(() => bindSqlValues("select :bellhop_value_1", {}, "postgres")).toThrow("bellhop_value_1");
    expect(() => bindSqlValues("select :bellhop_value_1", { bellhop_value_1: "it's" }, "mysql")).toThrow();
  });

  test("half a character fails the node", () => {
    expect(renderCode("sql", "select {{v}}", () => "a\ud800")).toMatchObject({
      ok: false,
      failure: { code: "value_not_representable" },
    });
    expect(renderCode("sql", "select {{v}}", () => "\\ud800 \\\\ud800")).toMatchObject({ ok: true });
  });
});

describe("SQL that other databases know", () => {
  test.each([
    "select * from t where a = {{v}}::int and b = any({{v}}) limit {{n}} offset {{n}}",
    "select substring(a from {{n}} for {{m}}), a #>> '{b}' from t where c @> {{v}} and d is not distinct from {{v}}",
    "select array[{{a}}, {{b}}], a[1] from t where x between {{a}} and {{b}}",
    "select now() - interval {{n}} day",
    "select top ({{n}}) [my column] from [my table] where a = {{v}}",
    "exec dbo.restart_service {{v}}, @force = {{w}}",
    "call restart_service({{v}})",
    "declare @code int; exec @code = dbo.restart_service {{v}}; select @code",
    "select set_config('app.user', {{v}}, true)",
    "select now() - {{n}} * interval '1 day'",
    "declare @a int = {{v}}; select @a",
    "delete from t where a = {{v}} and b like concat('%', {{v}}, '%') escape {{c}}",
    "insert into t select {{a}}, {{b}}",
  ])("%s takes templates", (query) => {
    expect(checkCode("sql", query)).toEqual([]);
  });
});

describe("places in SQL that are refused, with the way to write it", () => {
  test.each([
    ["{{v}}", "one template alone"],
    ["select '{{v}}'", "leave out the quotes"],
    ["select * from t where a like '%{{v}}%'", "concat('%', {{…}}, '%')"],
    ['select "{{v}}"', "leave out the quotes"],
    ["select `{{v}}`", "write the name itself"],
    ["select [{{v}}] from t", "write the name itself"],
    ["select $$ {{v}} $$", "leave out $$"],
    ["do $x$ begin perform '{{v}}'; end $x$", "leave out $x$"],
    ["select * from {{t}}", "right after from"],
    ["select * from a join {{t}} on true", "right after join"],
    ["select * from a, {{t}}", "right after from"],
    ["select * from {{s}}.t", "write names themselves"],
    ["select * from s.{{t}}", "write names themselves"],
    ["select * from log_{{day}}", "write names themselves"],
    ["select a{{v}}", "write names themselves"],
    ["select {{a}}{{b}}", "concat("],
    ["insert into {{t}} values (1)", "right after into"],
    ["insert into t (a, {{c}}) values (1, 2)", "right after into"],
    ["insert into t values {{v}}", "write values ({{…}})"],
    ["update {{t}} set a = 1", "right after update"],
    ["update t set {{c}} = 1", "right after set"],
    ["update t set a = 1, {{c}} = 2", "right after set"],
    ["select * from t order by {{c}}", "names no column"],
    ["select * from t order by a, {{c}} desc", "names no column"],
    ["select * from t order by a {{direction}}", "asc and desc"],
    ["select * from t order by f(a) {{direction}}", "asc and desc"],
    ["select a from t group by {{c}}", "names no column"],
    ["select * from t where a in {{list}}", "in ({{a}}, {{b}})"],
    ["select top {{n}} * from t", "write top ({{…}})"],
    ["select {{f}}(1)", "name a function"],
    ["select a::{{t}}", "name a type"],
    ["select cast(a as {{t}})", "right after as"],
    ["select date {{d}}", "cast({{…}} as date)"],
    ["select 'a' {{v}}", "an operator or a comma is missing"],
    ["{{keyword}} 1", "here a statement begins"],
    ["select 1; {{more}}", "here a statement begins"],
    ["create table a as select {{v}}", "create statement"],
    ["drop table {{t}}", "drop statement"],
    ["pragma user_version = {{v}}", "pragma statement"],
    ["select /*! {{v}} */ 1", "outside the comment"],
    ["select /*+ set_var({{v}}) */ 1", "outside the comment"],
    ["select {{v}} /* a /* b */", "use -- for one of them"],
    ["select {{v}} --x", "write a blank behind it"],
    ["select {{v}} # x", "write -- and a blank instead"],
    ["select 'it\\'s', {{v}}", "write '' for a quote"],
    ["select {{v}}, 'open", "is not closed"],
    ["select $1, {{v}}", "write a template for each value"],
    ["select :bellhop_value_1, {{v}}", "choose another name"],
    ["select ':BELLHOP_VALUE_1', {{v}}", "choose another name"],
    ["exec({{v}})", "runs text as code"],
    ["exec sp_executesql {{v}}", "runs text as code"],
    ["exec xp_cmdshell {{v}}", "runs text as code"],
    ["execute immediate {{v}}", "runs text as code"],
    ["prepare s from {{v}}", "runs text as code"],
    ["select dblink('x', {{v}})", "runs text as code"],
    ["select load_extension({{v}})", "runs text as code"],
    ["declare @q nvarchar(100) = {{v}}; exec sp_sqlexec @q", "runs text as code"],
    ["declare @p nvarchar(9) = {{v}}; exec @p", "runs text as code"],
    ["declare @p nvarchar(9) = {{v}}; execute @p 1", "runs text as code"],
    ["execute 'select ' || {{v}}", "runs text as code"],
    ["select * from crosstab({{v}}) as t(a int)", "runs text as code"],
    ["select * from crosstab4({{v}})", "runs text as code"],
    ["select * from ts_stat({{v}})", "runs text as code"],
    ["select plv8_eval({{v}})", "runs text as code"],
    ["select query_to_xml_and_xmlschema({{v}}, true, true, '')", "runs text as code"],
    ["select * from openquery(s, {{v}})", "runs text as code"],
    ["select set_config({{v}}, 'x', false)", "set_config('app.name', {{…}}, true)"],
    ["select pg_read_file({{v}})", "files of the database's server"],
    ["select load_file({{v}})", "files of the database's server"],
    ["select writefile('a', {{v}})", "files of the database's server"],
    ["select {{v}} into outfile '/tmp/x'", "files of the database's server"],
    ["select now() - interval '{{n}} days'", "write {{…}} * interval '1 day' (in MySQL: interval {{…}} day)"],
    ["select now() - interval '{{n}}'", "{{…}} * interval '1 day'"],
    ["kill {{v}}", "SQL Server and MySQL bind no value in kill"],
  ])("%s", (query, why) => {
    expect(checkCode("sql", query).join("\n")).toContain(why);
    expect(renderCode("sql", query, () => "x")).toMatchObject({ ok: false, failure: { code: "template_refused" } });
  });

  test("a statement without templates may be any", () => {
    for (const query of ["select $1 # ? 'it\\'s' --x", "exec sp_executesql N'x'", ":bellhop_value_1"]) {
      expect(checkCode("sql", query)).toEqual([]);
      expect(renderCode("sql", query, () => "x")).toEqual({ ok: true, text: query, values: {} });
    }
  });
});
