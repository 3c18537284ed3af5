import assert from 'node:assert/strict';

export interface Element {
  readonly name: string;
  readonly attributes: ReadonlyMap<string, string>;
  readonly children: readonly Element[];
  /** Of this element itself, entities resolved. */
  readonly text: string;
}

/** Reads XML 1.0 without doctype, comments and sections, and fails on anything that is not well formed. */
export function parseXml(bytes: Uint8Array): Element {
  const xml = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  assert.doesNotMatch(xml, /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/u, 'only characters that XML may hold');
  const body = xml.replace(/^<\?xml version="1\.0" encoding="UTF-8"\?>\s*/, '');
  const reader = { xml: body, at: 0 };
  const root = element(reader);
  assert.equal(body.slice(reader.at).trim(), '', 'nothing after the root');
  return root;
}

export function find(root: Element, matches: (each: Element) => boolean): Element[] {
  return [...(matches(root) ? [root] : []), ...root.children.flatMap((child) => find(child, matches))];
}

/** The group of this id. */
export function part(root: Element, id: string): Element | undefined {
  return find(root, (each) => each.name === 'g' && each.attributes.get('id') === id)[0];
}

function element(reader: { readonly xml: string; at: number }): Element {
  const tag = /<([A-Za-z][\w-]*)((?:\s+[A-Za-z][\w:-]*="[^"<]*")*)\s*(\/?)>/y;
  tag.lastIndex = reader.at;
  const head = tag.exec(reader.xml);
  assert.ok(head, `a tag at ${reader.xml.slice(reader.at, reader.at + 60)}`);
  const [whole, name = '', attributeText = '', isEmpty] = head;
  reader.at += whole.length;
  const attributes = new Map<string, string>();
  for (const [, key = '', value = ''] of attributeText.matchAll(/([A-Za-z][\w:-]*)="([^"]*)"/g)) {
    assert.ok(!attributes.has(key), `${key} stands once`);
    attributes.set(key, resolved(value));
  }
  const children: Element[] = [];
  let text = '';
  if (isEmpty === '/') return { name, attributes, children, text };
  for (;;) {
    const next = reader.xml.indexOf('<', reader.at);
    assert.ok(next >= 0, `${name} is closed`);
    text += resolved(reader.xml.slice(reader.at, next));
    reader.at = next;
    const end = `</${name}>`;
    if (reader.xml.startsWith('</', next)) {
      assert.ok(reader.xml.startsWith(end, next), `${name} is what is closed`);
      reader.at += end.length;
      return { name, attributes, children, text };
    }
    children.push(element(reader));
  }
}

const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"' };

function resolved(text: string): string {
  return text.replaceAll(/&([^;&\s]*);?/g, (_, name: string) => {
    const character = entities[name];
    assert.ok(character !== undefined, `&${name} is an entity`);
    return character;
  });
}
