// Slack's messages, modals and home pages as HTML: JSON from standard input, drawn by slack-blocks-to-jsx.
import fs from "node:fs";
import { createRequire } from "node:module";

const bring = createRequire(`${process.argv[2]}/`);
const React = bring("react");
const { renderToStaticMarkup } = bring("react-dom/server");
const { Message } = bring("slack-blocks-to-jsx");
const style = fs.readFileSync(bring.resolve("slack-blocks-to-jsx/dist/style.css"), "utf8");
const logo = "data:image/svg+xml;utf8," + encodeURIComponent(
  '<svg xmlns="http://www.w3.org/2000/svg" width="36" height="36"><rect width="36" height="36" rx="8" fill="#3b3b8f"/>' +
  '<text x="18" y="25" font-size="20" text-anchor="middle" fill="white" font-family="sans-serif">R</text></svg>');
const mention = (name) => React.createElement("span", { style: { color: "#1264a3", background: "#e8f5fa" } }, name);
// Ids are made anew each time: who is named first is ann.
const people = [];
function named(id) {
  if (!people.includes(id)) people.push(id);
  return ["@ann", "@bob", "@carol"][people.indexOf(id)];
}
const hooks = {
  user: ({ id }) => mention(named(id)),
  usergroup: () => mention("@on-call"),
  atHere: () => mention("@here"),
  date: (at) => new Date(at.timestamp * 1000).toISOString().slice(11, 16),
};

// What the drawing package leaves out: a select shows what is chosen, and small print is markup also where it is verbatim.
function readied(piece) {
  if (Array.isArray(piece)) return piece.map(readied);
  if (!piece || typeof piece !== "object") return piece;
  const { verbatim, ...rest } = piece;
  if (rest.initial_option && rest.type === "static_select") rest.placeholder = rest.initial_option.text;
  return Object.fromEntries(Object.entries(rest).map(([key, inner]) => [key, readied(inner)]));
}

function drawn({ blocks: given, time, frame }) {
  const blocks = readied(given);
  const props = { blocks, name: "Redial", logo, time: new Date(time * 1000), theme: "light", hooks };
  const html = renderToStaticMarkup(React.createElement(Message, frame ? { ...props, withoutWrapper: true } : props));
  return frame ? `<h1>${frame.title}</h1>${html}${frame.submit ? `<b class="submit">${frame.submit}</b>` : ""}` : html;
}

const columns = JSON.parse(fs.readFileSync(0, "utf8"));
const body = columns.map((column) => `<section>${column.map((shown) => `<div>${drawn(shown)}</div>`).join("")}</section>`);
process.stdout.write(`<style>${style} ul{list-style:disc} ol{list-style:decimal} h1{font-size:18px;font-weight:900}
pre{word-break:normal!important;overflow-wrap:anywhere}
.submit{float:right;background:#007a5a;color:#fff;padding:7px 14px;border-radius:4px;margin:8px}</style>${body.join("")}`);
