// Whether an element is drawn: older browsers cannot be asked.
export const isShown = (element) => (
  element.checkVisibility ? element.checkVisibility() : !element.closest("details:not([open])") && element.getClientRects().length > 0
);
