// The exercise page: each module looks after one habit and does nothing where its part is missing.
import { startChoices } from "./choices.js";
import { startConventions } from "./conventions.js";
import { startCopying } from "./copy.js";
import { startDrafts } from "./drafts.js";
import { startGrid } from "./grid.js";
import { startKeypad } from "./keypad.js";
import { startReading } from "./reading.js";
import { startReports } from "./reports.js";
import { startShortcuts } from "./shortcuts.js";

document.documentElement.classList.add("has-script");
const exercise = document.querySelector("[data-exercise]");
startCopying();
if (exercise) {
  startDrafts(exercise);
  startReading(exercise);
  startGrid(exercise);
  startChoices(exercise);
  startKeypad(exercise);
  startConventions(exercise);
  startReports();
  startShortcuts();
}
