/**
 * Has Python's HTTP clients reach the gateway past a proxy that the environment names. Nothing where it names none: on macOS
 * and Windows the variable would have Python forget the system's own proxies.
 */
export function directLoopback(
  env: Readonly<Record<string, string | undefined>>,
): Readonly<Record<string, string>> {
  const names = Object.keys(env).filter((name) => /^(https?|all)_proxy$/i.test(name) && env[name] !== '');
  const own = env['no_proxy'] ?? env['NO_PROXY'] ?? '';
  if (names.length === 0 || own.trim() === '*') return {};
  const direct = [...(own === '' ? [] : [own]), '127.0.0.1', 'localhost'].join(',');
  return { no_proxy: direct, NO_PROXY: direct };
}
