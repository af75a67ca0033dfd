/** A pattern of paths as fsspec's `glob` reads it: `*` and `[…]` within a folder, `**` as a whole part for any depth. */
export function globExpression(pattern: string): RegExp {
  const parts = pattern.split('/');
  const last = parts.length - 1;
  const source = parts.map((part, at) => {
    if (part === '**') return at < last ? '(?:.+/)?' : '.*';
    const text = part === '*' ? '[^/]+' : partSource(part);
    return at < last ? `${text}/` : text;
  });
  return new RegExp(`^(?:${source.join('')})$`, 'su');
}

export function hasWildcards(pattern: string): boolean {
  return /[*?[]/.test(pattern);
}

function partSource(part: string): string {
  let source = '';
  for (let at = 0; at < part.length; at++) {
    const character = part.charAt(at);
    const end = character === '[' ? part.indexOf(']', at + 2) : -1;
    if (character === '*') source += '[^/]*';
    else if (character === '?') source += '[^/]';
    else if (end !== -1) {
      source += classSource(part.slice(at + 1, end));
      at = end;
    } else source += escape(character);
  }
  return source;
}

/** As Python's fnmatch: a range is one only between two characters. */
function classSource(inside: string): string {
  const isNegated = inside.startsWith('!');
  const characters = isNegated ? inside.slice(1) : inside;
  const members = Array.from(characters).map((character, at, all) =>
    character === '-' && at > 0 && at < all.length - 1 ? '-' : character.replace(/[\\^[\]-]/, '\\$&'),
  );
  return `[${isNegated ? '^' : ''}${members.join('')}]`;
}

function escape(character: string): string {
  return character.replace(/[\\^$.*+?()[\]{}|/]/, '\\$&');
}
