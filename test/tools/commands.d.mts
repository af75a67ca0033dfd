export function onPath(names: readonly string[], searchPath?: string): string | undefined;
