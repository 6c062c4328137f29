/** Keeps a server's current figures true while its page is open. Its history is that of when the page was made. */
import { followServers, showNewest } from "./servers-current.js";
import { showServer } from "./servers-row.js";

const page = document.querySelector("article[data-server-id]");
if (page) keepTrue();

function keepTrue() {
  followServers(({ servers }) => {
    const server = servers.find(({ server_id: id }) => id === page.dataset.serverId);
    if (!server) return;
    const changed = page.dataset.status !== server.status;
    showServer(page, server);
    showNewest(server.checked_at);
    // What was true of the state before: since when it was away, and what it had told until then.
    if (changed) for (const past of page.querySelectorAll("[data-of-state]")) past.remove();
  });
}
