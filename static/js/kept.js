// What this tab keeps of what was typed until it is closed. It is kept under the person, so that the next one at this
// computer is given nothing of it; what a visitor typed goes with whoever signs in, as their answers do.
const person = document.body.dataset.person ?? "";
const key = (what, whose = person) => `kept:${whose}:${what}`;

export function kept(what) {
  try { return sessionStorage.getItem(key(what)); } catch { return null; } // storage forbidden: nothing is kept
}

export function keep(what, text) {
  try { sessionStorage.setItem(key(what), text); } catch { /* full or forbidden: typing goes on */ }
}

export function forget(what) {
  try { sessionStorage.removeItem(key(what)); } catch { /* storage forbidden */ }
}

function takeOver() {
  const visitors = key("", "");
  try {
    for (const old of Object.keys(sessionStorage).filter((one) => one.startsWith(visitors))) {
      keep(old.slice(visitors.length), sessionStorage.getItem(old));
      sessionStorage.removeItem(old);
    }
  } catch { /* storage forbidden: there is nothing to take over */ }
}

if (person) takeOver();
