export function omit<T extends object, Name extends string>(
  fields: T,
  ...names: readonly Name[]
): Omit<T, Name> {
  const kept = Object.entries(fields).filter(([name]) => !names.includes(name as Name));
  return Object.fromEntries(kept) as Omit<T, Name>;
}
