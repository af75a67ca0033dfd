/** The headers that belong to a request or a response, and not to a connection. */
const passed =
  /^(?:accept|content-type|content-encoding|expires|location|retry-after|retry-after-ms|www-authenticate|x-[\w-]{1,100})$/;

/** Returns the headers that a tunnel passes on, with their names in lower case. */
export function passedHeaders(
  headers: Readonly<Record<string, string | readonly string[] | undefined>>,
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) => {
      const text = typeof value === 'object' ? value.join(', ') : value;
      return text === undefined || !passed.test(name.toLowerCase()) ? [] : [[name.toLowerCase(), text]];
    }),
  );
}
