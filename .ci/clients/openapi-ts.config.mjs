// The default plugins, with imports that TypeScript's resolution of modules finds.
export default { input: "openapi.yaml", output: { path: "hey", importFileExtension: ".js" }, logs: { file: false } };
