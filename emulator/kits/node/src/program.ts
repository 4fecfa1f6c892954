/** The program `understudy`, and the place where it was found. */
export interface Program {
  path: string;
  place: "the option binary" | "bundled" | "UNDERSTUDY_BINARY" | "the PATH";
}

/** The package with the program for this machine. npm installs it, as an optional dependency of this one. */
const bundle = `understudy-testing-${process.platform}-${process.arch}`;

/** Returns the program in the first place that names one. */
export async function findProgram(option?: string): Promise<Program> {
  if (option) return { path: option, place: "the option binary" };
  const bundled: string | undefined = await import(bundle).then(({ binary }) => binary, () => undefined);
  if (bundled) return { path: bundled, place: "bundled" };
  const named = process.env["UNDERSTUDY_BINARY"];
  return named ? { path: named, place: "UNDERSTUDY_BINARY" } : { path: "understudy", place: "the PATH" };
}

/** Says where a program was looked for, when there is none. */
export function missing({ path, place }: Program): string {
  return `there is no program ${JSON.stringify(path)} (${place}). A start takes the first of these places that names one; correct one of them:\n` +
    '  the option binary: start({ binary: "/path/to/understudy" })\n' +
    `  bundled: npm installs it in the package ${bundle}, unless it omits optional dependencies\n` +
    `  UNDERSTUDY_BINARY: the path of the program; it is ${process.env["UNDERSTUDY_BINARY"] || "not set"}\n` +
    "  the PATH: a folder with understudy. In a clone, go build -o understudy ./cmd/understudy builds it";
}
