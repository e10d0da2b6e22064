// The tab for programs. It shows the address that the visitor sees, which a server behind a proxy does not know, and
// the name of the tool that agents find there.

import { findElement, newButton } from "../parts/elements.js";
import { copyText } from "../parts/saving.js";

/** @type {(element: HTMLElement) => Promise<void>} */
export const startApi = async (element) => {
  const address = (location.origin + location.pathname).replace(/\/+$/, "");
  for (const place of element.querySelectorAll(".api-address")) place.textContent = address;
  for (const block of element.querySelectorAll(".api-block")) {
    const button = newButton("page-button api-copy", "Copy", () =>
      copyText(button, findElement(block, "code").textContent),
    );
    block.append(button);
  }
  const part = findElement(element, ".api-mcp");
  try {
    const answer = await fetch(`${address}/gradio_api/mcp/schema`);
    if (!answer.ok) throw new Error(answer.statusText);
    /** @type {{name: string, meta: {mcp_type: string}}[]} */
    const schema = await answer.json();
    const tools = schema.filter(({ meta }) => meta.mcp_type === "tool");
    findElement(part, ".api-tool").textContent = tools.map(({ name }) => name).join(", ");
  } catch {
    part.textContent = "MCP is not available: the package mcp is not installed on this server.";
  }
  findElement(element, ".api").dataset.ready = "";
};
