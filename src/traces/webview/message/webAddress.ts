/** Returns the normalized address; undefined: it is not a web address. */
export function webAddress(address: string): string | undefined {
  if (!/^https?:\/\//i.test(address)) return undefined;
  const url = URL.parse(address);
  return url?.protocol === 'http:' || url?.protocol === 'https:' ? url.href : undefined;
}
