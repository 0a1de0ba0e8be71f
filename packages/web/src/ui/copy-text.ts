// Browsers offer the clipboard only over https and on localhost, and a Memoir server is often read over plain http in a
// home network. There the old command still works; where that fails too, the text is left selected for the reader.

export async function copyText(text: string, element: HTMLElement): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    window.getSelection()?.selectAllChildren(element);
    return document.execCommand("copy");
  }
}
