/** The page for who is not online stands at the address of the one that was wanted: to load it again is to try again. */
document.querySelector("[data-again]").addEventListener("click", () => window.location.reload());
window.addEventListener("online", () => window.location.reload());
