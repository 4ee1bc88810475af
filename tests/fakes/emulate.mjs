// Workspaces of `emulate`: a seed, a line of JSON, opens one and its port is answered; a port closes that one.
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";

const { createEmulator } = await import(pathToFileURL(process.argv[2]));
const open = new Map();

for await (const line of createInterface({ input: process.stdin })) {
  const asked = JSON.parse(line);
  if (typeof asked === "number") {
    await open.get(asked).close();
    open.delete(asked);
    console.log(asked);
  } else {
    const one = await createEmulator({ service: "slack", port: 0, seed: { slack: asked } });
    const port = Number(new URL(one.url).port);
    open.set(port, one);
    console.log(port);
  }
}
process.exit();
