// The title of a page, in the browser's tab and for screen readers.

import { t } from "../i18n/index.js";
import { useEffect } from "../view.js";

/** Gives the page a title while it is shown. @param {string} title */
export function useTitle(title) {
  useEffect(() => {
    document.title = title ? `${title} · ${t("shell.home")}` : t("shell.home");
    return () => void (document.title = t("shell.home"));
  }, [title]);
}
