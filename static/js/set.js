// The overview of a set: N goes on.
import { startShortcuts } from "./shortcuts.js";

startShortcuts();
