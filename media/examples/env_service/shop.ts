/** One shopper's visit to the corner shop: what there is, what an action does, and what the visit is worth. */

export interface Goods {
  readonly name: string;
  readonly kind: string;
  readonly coins: number;
}

export type Shelves = Readonly<Record<string, readonly Goods[]>>;

export interface Errand {
  readonly id: string;
  /** Coins. */
  readonly purse: number;
  /** How many of each kind. */
  readonly list: Readonly<Record<string, number>>;
}

const actions = [
  'look SHELF',
  'take NUMBER GOODS, e.g. take 2 pear',
  'return NUMBER GOODS',
  'pay, which ends the visit',
];

export class Visit {
  isPaid = false;
  readonly #shelves: Shelves;
  readonly #errand: Errand;
  /** By name of the goods. */
  readonly #basket = new Map<string, number>();

  constructor(shelves: Shelves, errand: Errand) {
    this.#shelves = shelves;
    this.#errand = errand;
  }

  get rules(): string {
    return [
      'You run errands in a corner shop. Of each kind on the list buy the cheapest goods, exactly as many as it says.',
      `The shelves: ${Object.keys(this.#shelves).join(', ')}.`,
      `End each reply with one line "Action: …", where the action is one of: ${actions.join('; ')}.`,
    ].join('\n');
  }

  get errand(): string {
    const wanted = Object.entries(this.#errand.list).map(([kind, count]) => `${count} ${kind}`);
    return `Your list: ${wanted.join(', ')}. You have ${this.#errand.purse} coins.`;
  }

  /** What the shop answers to a reply of the model. Whatever is wrong with it comes back as a text it can read. */
  act(reply: string): string {
    const action = [...reply.matchAll(/^Action:(.*)$/gim)].at(-1)?.[1]?.trim().toLowerCase();
    if (action === undefined) return 'There was no line that begins with "Action:".';
    if (action === 'pay') return this.#pay();
    const [, verb, rest = ''] = /^(look|take|return)\s+(.+)$/.exec(action) ?? [];
    if (verb === 'look') return this.#look(rest);
    const [, count = '', name = ''] = /^(\d{1,3})\s+(.+)$/.exec(rest) ?? [];
    const goods = this.#goods.find((one) => one.name === name);
    if (verb === 'take') return goods ? this.#put(goods, Number(count)) : `There is no ${name || rest} here.`;
    if (verb === 'return') return goods ? this.#put(goods, -Number(count)) : `You have no ${name || rest}.`;
    return `Nobody here understands "${action}". You can: ${actions.join('; ')}.`;
  }

  /** From 0 to 1: the mean over the list of 1 for the cheapest goods, half of it for others; 0 until it is paid. */
  score(): number {
    if (!this.isPaid) return 0;
    const parts = Object.entries(this.#errand.list).map(([kind, wanted]) => {
      const offered = this.#goods.filter((one) => one.kind === kind);
      const cheapest = Math.min(...offered.map(({ coins }) => coins));
      const bought = offered.filter(({ name }) => this.#basket.has(name));
      const count = bought.reduce((sum, { name }) => sum + this.#count(name), 0);
      if (count !== wanted) return 0;
      return bought.every(({ coins }) => coins === cheapest) ? 1 : 0.5;
    });
    return parts.reduce<number>((sum, part) => sum + part, 0) / parts.length;
  }

  get #goods(): readonly Goods[] {
    return Object.values(this.#shelves).flat();
  }

  #count(name: string): number {
    return this.#basket.get(name) ?? 0;
  }

  #look(name: string): string {
    const shelf = Object.hasOwn(this.#shelves, name) ? this.#shelves[name] : undefined;
    if (shelf === undefined) return `There is no shelf ${name}.`;
    return `On ${name}: ${shelf.map((one) => `${one.name} (${one.kind}) ${one.coins}`).join(', ')}.`;
  }

  #put({ name }: Goods, change: number): string {
    const count = this.#count(name) + change;
    if (count < 0) return `You have only ${this.#count(name)} ${name}.`;
    if (count === 0) this.#basket.delete(name);
    else this.#basket.set(name, count);
    return `In your basket: ${[...this.#basket].map(([one, many]) => `${many} ${one}`).join(', ') || 'nothing'}.`;
  }

  #pay(): string {
    const due = this.#goods.reduce((sum, { name, coins }) => sum + coins * this.#count(name), 0);
    if (due > this.#errand.purse) return `That is ${due} coins, more than you have. Return something.`;
    this.isPaid = true;
    return `You paid ${due} coins. Goodbye.`;
  }
}
