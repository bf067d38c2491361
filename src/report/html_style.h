/* The style sheet of the HTML report. */
#ifndef REPORT_HTML_STYLE_H
#define REPORT_HTML_STYLE_H

#define HTML_STYLE \
  ":root{--ink:#1c2430;--soft:#5d6b7c;--line:#d8dee6;--page:#f5f7f9;--card:#fff;--bad:#b3261e;" \
  "--good:#1b7a43;--open:#9a6700;--info:#0b5fa5;--code:#f0f3f6;--mark:#ffe3a3}" \
  "@media(prefers-color-scheme:dark){:root{--ink:#dbe2ea;--soft:#93a1b1;--line:#323c49;" \
  "--page:#12171d;--card:#1a2129;--bad:#ff8a80;--good:#6fd394;--open:#e3b341;--info:#79b8ff;" \
  "--code:#222b35;--mark:#6b4f00}}" \
  "*{box-sizing:border-box}body{margin:0 auto;max-width:64rem;padding:2rem 1.25rem;" \
  "background:var(--page);color:var(--ink);font:16px/1.5 system-ui,sans-serif}" \
  "code,pre,.where,.stack{font-family:ui-monospace,Menlo,Consolas,monospace;font-size:.875rem}" \
  "h1{margin:0;font-size:1.05rem;letter-spacing:.06em;text-transform:uppercase;" \
  "color:var(--soft)}h2{margin:0 0 .5rem;font-size:1.2rem;overflow-wrap:anywhere}" \
  "h4{margin:0;font-size:1rem}p{margin:.25rem 0}" \
  "section{background:var(--card);border:1px solid var(--line);border-radius:10px;" \
  "padding:1.25rem 1.5rem;margin:1.5rem 0}" \
  ".verdict{font-size:1.35rem;font-weight:600;margin:.75rem 0}.bad{color:var(--bad)}" \
  ".good{color:var(--good)}.open{color:var(--open)}" \
  ".notes{margin:.5rem 0 1rem;padding-left:1.25rem;color:var(--open)}" \
  ".tiles{display:flex;flex-wrap:wrap;gap:.75rem;margin:1rem 0}" \
  ".tiles div{background:var(--card);border:1px solid var(--line);border-radius:8px;" \
  "padding:.5rem 1rem;color:var(--soft);font-size:.85rem;max-width:100%}" \
  ".tiles b{display:block;font-size:1.3rem;color:var(--ink);overflow-wrap:anywhere}" \
  "nav a{color:var(--info)}.where{color:var(--soft);overflow-wrap:anywhere}" \
  ".where b{color:var(--ink);font-weight:600}" \
  ".kind{background:var(--bad);color:var(--card);border-radius:5px;padding:.1rem .5rem;" \
  "font-size:.8rem;vertical-align:.15rem;white-space:nowrap}" \
  "pre{background:var(--code);border-radius:6px;padding:.6rem .75rem;margin:.5rem 0;" \
  "overflow-x:auto;tab-size:4}pre i{color:var(--soft);font-style:normal;user-select:none}" \
  ".line{color:var(--soft)}.here{color:var(--ink);font-weight:600}" \
  "mark{background:var(--mark);color:inherit;border-radius:3px}" \
  ".fix{border-left:4px solid var(--good);padding:.25rem 0 .25rem 1rem;margin:1rem 0}" \
  ".fix h4{color:var(--good)}" \
  ".timeline{list-style:none;margin:1.25rem 0;padding:0 0 0 .5rem}" \
  ".timeline>li{position:relative;border-left:2px solid var(--line);" \
  "padding:0 0 1.25rem 1.5rem}.timeline>li:last-child{border-left-color:transparent;" \
  "padding-bottom:0}.timeline>li::before{content:\"\";position:absolute;left:-8px;top:.3rem;" \
  "width:14px;height:14px;border-radius:50%;background:var(--card);" \
  "border:3px solid var(--soft)}.timeline>.failure::before{border-color:var(--open);" \
  "background:var(--open);border-radius:2px}.timeline>.stale::before{border-color:var(--info)}" \
  ".timeline>.end::before{border-color:var(--bad);background:var(--bad)}" \
  ".failure h4{color:var(--open)}.end h4{color:var(--bad)}" \
  ".when{color:var(--soft);font-size:.8rem}" \
  "table{border-collapse:collapse;margin:.5rem 0;max-width:100%}" \
  "td,th{text-align:left;padding:.2rem 1rem .2rem 0;vertical-align:top;font-size:.875rem}" \
  "th,caption{color:var(--soft);font-weight:400;text-align:left;white-space:nowrap}" \
  ".fate{display:inline-block;min-width:3.4rem;text-align:center;border-radius:4px;" \
  "border:1px solid var(--line);font-size:.8rem}.read .fate{background:var(--info);" \
  "color:var(--card);border-color:var(--info)}.lost .fate{color:var(--bad);" \
  "border-color:var(--bad)}.older,.older .where b{color:var(--soft)}" \
  ".threads td,.threads th{border-left:2px solid var(--line);padding:.15rem .75rem}" \
  ".threads .step{background:var(--code)}.threads .drain{color:var(--open)}" \
  ".outcomes{width:100%}.outcomes td:first-child{text-align:right;white-space:nowrap}" \
  ".bar{width:30%}.bar span{display:block;height:.7rem;margin-top:.35rem;min-width:2px;" \
  "background:var(--info);border-radius:3px}" \
  ".replay code{background:var(--code);padding:.15rem .4rem;border-radius:4px;" \
  "overflow-wrap:anywhere}footer{color:var(--soft);font-size:.85rem}" \
  "@media print{body{background:#fff}section{break-inside:avoid}}"

#endif
