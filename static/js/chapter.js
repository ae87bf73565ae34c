// The pages of the chapter and the bank: copying, the contents that follow, printing, choosing by number.
import { startChoosing } from "./case.js";
import { startContents } from "./contents.js";
import { startCopying } from "./copy.js";

startCopying();
startContents(document.querySelector("[data-progress]"));
startChoosing(document.querySelector("[data-choices]"));
document.querySelectorAll("[data-print]").forEach((button) => button.addEventListener("click", () => window.print()));
