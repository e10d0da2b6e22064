// The tab for programs: the address that the visitor sees, which a server behind a proxy does not know, and the name of
// the tool that agents find there.
window.docscoreApi = async (element) => {
  const address = (location.origin + location.pathname).replace(/\/+$/, "");
  for (const place of element.querySelectorAll(".api-address")) place.textContent = address;
  for (const block of element.querySelectorAll(".api-block")) {
    const button = document.createElement("button");
    Object.assign(button, { type: "button", className: "page-button api-copy", textContent: "Copy" });
    button.addEventListener("click", async () => {
      try { await navigator.clipboard.writeText(block.querySelector("code").textContent); button.textContent = "Copied"; }
      catch { button.textContent = "Not allowed here"; }  // as in some frames
    });
    block.append(button);
  }
  const part = element.querySelector(".api-mcp");
  try {
    const answer = await fetch(`${address}/gradio_api/mcp/schema`);
    if (!answer.ok) throw new Error(answer.statusText);
    const tools = (await answer.json()).filter((tool) => tool.meta.mcp_type === "tool").map((tool) => tool.name);
    part.querySelector(".api-tool").textContent = tools.join(", ");
  } catch {
    part.textContent = "This server has no MCP: it needs the package mcp.";
  }
  element.querySelector(".api").dataset.ready = "";
};
