/**
 * Stands for the model, so that the example needs none: it looks at every shelf, takes what the list names, and pays. It
 * slips as models do: takes goods that are not the cheapest, or forgets the last line of the list. Give a real model
 * instead with `--model endpoint --base-url …`.
 */

interface Request {
  readonly messages: readonly { readonly role: string; readonly content?: unknown }[];
}

interface Offer {
  readonly name: string;
  readonly kind: string;
  readonly coins: number;
}

/** @param seed another for every run, episode and call; the same when these are */
export default function respond(request: Request, { seed }: { readonly seed: number }): string {
  const texts = request.messages.map(({ content }) => (typeof content === 'string' ? content : ''));
  const all = texts.join('\n');
  const done = [...all.matchAll(/^Action: (\w+) ?(.*)$/gm)].map(([, verb = '', rest = '']) => ({
    verb,
    rest,
  }));
  const luck = random(seed);

  const shelves = /^The shelves: (.*)\.$/m.exec(all)?.[1]?.split(', ') ?? [];
  const unseen = shelves.find((shelf) => !done.some(({ verb, rest }) => verb === 'look' && rest === shelf));
  if (unseen !== undefined) return say(`I have not looked at ${unseen} yet.`, `look ${unseen}`);

  if (texts.at(-1)?.includes('Return something.') === true) {
    const last = done.findLast(({ verb }) => verb === 'take')?.rest ?? '';
    return say('That was too dear.', `return ${last}`);
  }

  const offers = offersIn(all);
  const wanted = [...(/^Your list: (.*?)\. /m.exec(all)?.[1]?.matchAll(/(\d+) (\w+)/g) ?? [])];
  const left = wanted.filter(
    ([, , kind]) =>
      !offers.some((offer) => offer.kind === kind && done.some(({ rest }) => rest.endsWith(offer.name))),
  );
  const [, count = '', kind = ''] = left[0] ?? [];
  const forgets = left.length === 1 && wanted.length > 1 && luck() < 0.2;
  if (left.length === 0 || forgets) return say('I have everything.', 'pay');
  const byPrice = offers.filter((offer) => offer.kind === kind).sort((a, b) => a.coins - b.coins);
  const chosen = luck() < 0.2 ? byPrice.at(-1) : byPrice[0];
  return say(`Of ${kind} I take the ${chosen?.name ?? kind}.`, `take ${count} ${chosen?.name ?? kind}`);
}

function say(thought: string, action: string): string {
  return `${thought}\nAction: ${action}`;
}

function offersIn(text: string): Offer[] {
  return [...text.matchAll(/^On \w+: (.*)\.$/gm)].flatMap(([, shelf = '']) =>
    [...shelf.matchAll(/([a-z ]+?) \((\w+)\) (\d+)/g)].map(([, name = '', kind = '', coins]) => ({
      name: name.trim(),
      kind,
      coins: Number(coins),
    })),
  );
}

/** Numbers in [0, 1) that are a function of the seed (mulberry32). */
function random(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}
