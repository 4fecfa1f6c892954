const { start } = await import(process.env.KIT);
console.log("ready", (await start()).url);
setInterval(() => {}, 1000);
const end = process.argv[2];
if (end === "throw") setTimeout(() => { throw new Error("an uncaught error"); });
if (end === "abort") process.abort();
