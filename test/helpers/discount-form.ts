import type { Agent } from "./app.ts";
import { attributes, mainOf } from "./html.ts";

/** What a browser would send of a page's form: a discount's, or its preview's. Buttons are left to the caller. */
export function formOf(html: string): Record<string, string> {
  const tags = [...mainOf(html).matchAll(/<(?:input|select)\b[^>]*>/g)].map(([tag]) => tag);
  const sent = tags.filter((tag) => !/type="(search|radio|checkbox)"/.test(tag) || / checked/.test(tag));
  const fields = sent.map((tag) => [attributes(tag, "name")[0] ?? "", attributes(tag, "value")[0] ?? ""]);
  const zone = /<option value="([^"]*)" selected>/.exec(html)?.[1];
  return { ...Object.fromEntries(fields), ...(zone !== undefined && { zone }) };
}

/** Sends a discount's form, then its preview with the button that saves it. Resolves to the preview. */
export async function saveThroughPreview(agent: Agent, path: string, fields: object): Promise<string> {
  const send = (sent: object, status: number) => agent.post(path).type("form").send(sent).expect(status);
  const { text } = await send({ ...fields, step: "preview" }, 200);
  await send({ ...formOf(text), step: "save" }, 303);
  return text;
}
