/** The texts of package.json: which they are, and keys in their place. */

/** Properties whose value a user reads. Not those of what is written into files, such as the names of launch configurations. */
const readable = new Set([
  'title',
  'shortTitle',
  'description',
  'markdownDescription',
  'enumDescriptions',
  'markdownEnumDescriptions',
  'enumItemLabels',
  'deprecated',
  'deprecationMessage',
  'markdownDeprecationMessage',
  'label',
  'displayName',
  'name',
  'contextualTitle',
  'contents',
  'aliases',
]);

/** Of these a user reads nothing, or what they write for the user into files that are English. */
const unreadable = new Set([
  'initialConfigurations',
  'body',
  'scripts',
  'devDependencies',
  'menus',
  'keybindings',
]);

/** A name that is the same in every language. */
const properNames = new Set(['agentjet', 'AgentJet']);

/** What tells the members of a list apart, first of all by these. */
const names = ['command', 'viewType', 'type', 'view', 'id'];

/** Levels that say nothing in a key. */
const silent = new Set(['contributes', 'properties', 'configurationAttributes']);

/** The group of a setting says nothing either. */
function speaks(part, index, place) {
  const isGroup = place[index - 1] === 'configuration' && place[index + 1] === 'properties';
  return !silent.has(part) && !isGroup;
}

const keyOf = /^%([^%]+)%$/;

/**
 * The manifest with a key wherever a text stands.
 * @param manifest texts and keys mixed
 * @param known the texts of those keys that it already has
 */
export function withKeys(manifest, known) {
  const texts = {};
  const keep = (text, place) => {
    const given = keyOf.exec(text)?.[1];
    const plain = given === undefined ? text : known[given];
    if (plain === undefined) throw new Error(`package.json names ${text}, which has no text.`);
    const key = given ?? freeKey(place.filter(speaks).join('.'), plain, texts);
    texts[key] = plain;
    return `%${key}%`;
  };
  return { keyed: mapTexts(manifest, keep), texts };
}

/** Two of a list that nothing tells apart, such as the welcomes of one view, are numbered. */
function freeKey(wanted, text, texts) {
  for (let number = 1; ; number++) {
    const key = number === 1 ? wanted : `${wanted}.${number}`;
    if (!Object.hasOwn(texts, key) || texts[key] === text) return key;
  }
}

/** The manifest with texts in place of keys, as the editor does it; a key without a text stays. */
export function withTexts(manifest, texts) {
  if (typeof manifest === 'string') return texts[keyOf.exec(manifest)?.[1] ?? ''] ?? manifest;
  if (Array.isArray(manifest)) return manifest.map((part) => withTexts(part, texts));
  if (typeof manifest !== 'object' || manifest === null) return manifest;
  return Object.fromEntries(Object.entries(manifest).map(([name, part]) => [name, withTexts(part, texts)]));
}

/** The keys and the texts that stand in a manifest where users read. */
export function readTexts(manifest) {
  const keys = [];
  const texts = [];
  mapTexts(manifest, (text) => {
    const key = keyOf.exec(text)?.[1];
    if (key === undefined) texts.push(text);
    else keys.push(key);
    return text;
  });
  return { keys, texts };
}

/** @param change gets each readable text and its place, and returns what stands there instead */
function mapTexts(value, change, place = []) {
  if (Array.isArray(value)) {
    return value.map((part, index) => mapTexts(part, change, [...place, nameOf(part) ?? String(index)]));
  }
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, part]) => {
      if (unreadable.has(name)) return [name, part];
      return [name, mapPart(part, change, [...place, name], value)];
    }),
  );
}

function mapPart(part, change, place, owner) {
  const name = place.at(-1);
  const isText = (text) => typeof text === 'string' && !properNames.has(text);
  if (readable.has(name) && isText(part)) return change(part, place);
  if (readable.has(name) && Array.isArray(part) && part.every((one) => typeof one === 'string')) {
    return part.map((text, index) =>
      isText(text) ? change(text, [...place, String(owner.enum?.[index] ?? index)]) : text,
    );
  }
  return mapTexts(part, change, place);
}

function nameOf(part) {
  return names.map((name) => part?.[name]).find((name) => typeof name === 'string');
}
