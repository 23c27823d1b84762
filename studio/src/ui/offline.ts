//! The copy that the browser keeps, so that the page opens without a network.

/** Registers the service worker of the built page; while developing there is none. */
export function keepOfflineCopy(): void {
  if (!import.meta.env.PROD || !("serviceWorker" in navigator)) return;
  addEventListener("load", () => {
    navigator.serviceWorker.register("./offline.js").catch(() => {
      // A host without a secure address: the page works, only not offline.
    });
  });
}
