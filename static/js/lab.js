// The lab's pages: the link of a run or a comparison is copied.
import { startCopying } from "./copy.js";

startCopying();
