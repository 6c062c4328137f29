/** Makes an element of the search box. */
export function element(name: string, attributes: Record<string, string>, content = ""): HTMLElement {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.textContent = content;
  return made;
}
