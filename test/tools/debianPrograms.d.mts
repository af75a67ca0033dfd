export function debianProgram(
  name: string,
  packageName?: string,
): Promise<{ readonly file: string; readonly env: NodeJS.ProcessEnv }>;
export function debianPackages(names: readonly string[]): Promise<string>;
export function programIn(folder: string, name: string): string | undefined;
export function librariesOf(folder: string): readonly string[];
