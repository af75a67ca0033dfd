/** Texts for messages about HTTP servers. */

/** Returns a URL without user, password, query and fragment, which can be secret. */
export function writeUrl(url: string): string {
  const parsed = URL.parse(url);
  if (parsed === null) return url.replace(/[?#].*$/s, '').replace(/\/\/[^/]*@/, '//');
  return `${parsed.protocol}//${parsed.host}${parsed.pathname}`.replace(/\/$/, '');
}

/** Formats FastAPI's list of invalid fields. */
export function formatFieldErrors(detail: unknown): string | undefined {
  if (!Array.isArray(detail) || detail.length === 0) return undefined;
  const problems = (detail as readonly unknown[]).map((one) => {
    const { loc, msg } = (one ?? {}) as { loc?: unknown; msg?: unknown };
    return Array.isArray(loc) && typeof msg === 'string' ? `${loc.join('.')}: ${msg}` : undefined;
  });
  return problems.every((problem) => problem !== undefined) ? problems.join('; ') : undefined;
}

const longestExcerpt = 300;

/** Returns the start of a body for a message. */
export function excerpt(body: string): string {
  const text = body.trim();
  if (text === '') return 'an empty body';
  return text.length > longestExcerpt ? `${text.slice(0, longestExcerpt)}…` : text;
}

/** The number of model names in a message. */
const shownNames = 20;

/** Returns the names as one text, such as `a, b and 3 more`. */
export function formatModels(models: readonly string[]): string {
  const shown = models.slice(0, shownNames).join(', ');
  return models.length > shownNames ? `${shown} and ${models.length - shownNames} more` : shown;
}
