/** The page for who is not online stands at the address of the one that was wanted: to load it again is to try again. */
window.addEventListener("online", () => window.location.reload());
