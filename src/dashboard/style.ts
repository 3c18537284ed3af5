/** Readable from three metres: one large word per cutter; colour only repeats what the word says. */
export const style = `
:root { color-scheme: light dark; --paper: #fff; --ink: #16181d; --soft: #5b6270; --line: #d9dce3; --card: #f4f5f7;
  --ready: #0b7a3b; --busy: #1656c0; --wait: #9a5b00; --stop: #b3151b; --off: #5b6270; }
@media (prefers-color-scheme: dark) {
  :root { --paper: #111317; --ink: #f2f4f8; --soft: #a2a9b8; --line: #2c313b; --card: #1a1d23;
    --ready: #4fd08a; --busy: #7db1ff; --wait: #ffbf5e; --stop: #ff7b7f; --off: #a2a9b8; }
}
* { box-sizing: border-box; }
body { margin: 0; padding: 1rem clamp(1rem, 2.5vw, 2.5rem) 3rem; background: var(--paper); color: var(--ink); font: 1.05rem/1.45 system-ui, sans-serif; }
[hidden] { display: none !important; }
h1, h2, p, ul, ol, dl, dd { margin: 0; padding: 0; }
header { display: flex; flex-wrap: wrap; gap: .25rem 1.25rem; align-items: baseline; margin-bottom: 1rem; color: var(--soft); }
h1 { font-size: 1.4rem; color: var(--ink); }
#feed { margin-left: auto; }
#notes { list-style: none; margin-bottom: 1rem; color: var(--wait); font-weight: 600; }
main { display: grid; gap: 1rem; align-items: start; grid-template-columns: repeat(auto-fit, minmax(min(100%, 26rem), 1fr)); }
.cutter { background: var(--card); border: 1px solid var(--line); border-left: .8rem solid var(--tone); border-radius: .5rem; padding: 1rem 1.25rem 1.1rem; min-width: 0; container-type: inline-size; }
.cutter h2 { display: flex; flex-wrap: wrap; gap: 0 1rem; justify-content: space-between; font-size: 1.5rem; }
.cutter h2 span { font-size: 1rem; font-weight: 400; color: var(--soft); }
.word { font-size: clamp(2.6rem, 17cqi, 6.5rem); font-weight: 750; line-height: 1.05; letter-spacing: -.02em; color: var(--tone); overflow-wrap: break-word; }
.reason { font-size: 1.5rem; line-height: 1.3; overflow-wrap: anywhere; min-height: 1.3em; }
.warning { margin-top: .6rem; color: var(--wait); font-weight: 600; }
progress { width: 100%; height: 1rem; margin-top: .6rem; accent-color: var(--tone); }
.ready { --tone: var(--ready); } .busy { --tone: var(--busy); } .wait { --tone: var(--wait); } .stop { --tone: var(--stop); } .off { --tone: var(--off); }
section { margin-top: 1.5rem; }
section h2 { font-size: 1.1rem; color: var(--soft); font-weight: 600; border-bottom: 1px solid var(--line); margin-bottom: .4rem; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .15rem 1.25rem; }
dt { font-weight: 600; }
dd, #events { overflow-wrap: anywhere; }
#events { list-style: none; }
#events li { display: grid; grid-template-columns: 7.5rem minmax(5rem, 9rem) 1fr; gap: 0 1rem; border-bottom: 1px solid var(--line); padding: .2rem 0; }
#events time, #events .who { color: var(--soft); font-variant-numeric: tabular-nums; }
#events button { font: inherit; font-size: .9em; padding: 0 .5rem; }
#picture { border: 1px solid var(--line); border-radius: .5rem; padding: .5rem; max-width: 95vw; max-height: 95vh; text-align: center; }
#picture img { max-width: 100%; max-height: 82vh; background: #fff; }
#overlay, #key-form { position: fixed; inset: 0; display: flex; flex-direction: column; gap: 1rem; align-items: center; justify-content: center; text-align: center; padding: 2rem; }
#overlay { background: color-mix(in srgb, var(--paper) 88%, transparent); }
#overlay-word { font-size: clamp(3.2rem, 9vw, 7rem); font-weight: 750; line-height: 1.1; color: var(--stop); }
#overlay-reason { font-size: 1.5rem; }
#key-form { background: var(--paper); font-size: 1.3rem; }
#key-form input, #key-form button { font: inherit; padding: .5rem .75rem; width: min(24rem, 90vw); }
#key-reason { color: var(--stop); min-height: 1.5em; }
`;
