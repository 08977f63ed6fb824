/** Saves a text as a file of the person who looks at it. */
export function download(text: string, isJson: boolean, name: string): void {
  const type = isJson ? "application/json" : "text/plain;charset=utf-8";
  const url = URL.createObjectURL(new Blob([text], { type }));
  const link = document.createElement("a");
  link.href = url;
  link.download = `${name}.${isJson ? "json" : "txt"}`;
  link.click();
  URL.revokeObjectURL(url);
}
