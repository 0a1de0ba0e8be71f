/**
 * The embedder that needs no key and no download. Words, pairs of neighbouring words and pieces of words are hashed into
 * a vector of fixed length, so texts that share spelling lie close, also misspelt or inflected. It knows nothing of
 * meaning: "car" and "automobile" are as far apart as any two words.
 */
import { normalizeText } from "../../shared/normalize.ts";
import type { Embedder } from "../embedder.ts";

/** What each kind of piece counts for; a word has several pieces, so each weighs less. */
const wordWeight = 1;
/** Words of up to three letters are mostly articles and the like. */
const shortWeight = 0.3;
const pairWeight = 0.5;
const gramWeight = 0.35;
const gramLengths = [3, 4] as const;
/** Texts are handed over to other work after so many. */
const textsAtOnce = 64;

export function createLexicalEmbedder(dimension: number): Embedder {
  return {
    async embed(texts, signal) {
      const vectors: Float32Array[] = [];
      for (const [index, text] of texts.entries()) {
        if (index % textsAtOnce === textsAtOnce - 1) await new Promise((done) => setImmediate(done));
        signal.throwIfAborted();
        vectors.push(embedText(text, dimension));
      }
      return vectors;
    },
  };
}

/** Of length one; all zeros only for a text without letters and digits. */
export function embedText(text: string, dimension: number): Float32Array {
  const vector = new Float32Array(dimension);
  const words =
    normalizeText(text, "NFKC")
      .toLowerCase()
      .match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];
  let former = "";
  for (const word of words) {
    add(vector, hash(word, 1), word.length <= 3 ? shortWeight : wordWeight);
    if (former !== "") add(vector, hash(word, hash(former, 2)), pairWeight);
    addGrams(vector, `<${word}>`);
    former = word;
  }
  return normalize(vector);
}

function addGrams(vector: Float32Array, word: string): void {
  for (const length of gramLengths) {
    for (let start = 0; start + length <= word.length; start++) {
      let code = 3 + length;
      for (let index = start; index < start + length; index++) code = mix(code, word.charCodeAt(index));
      add(vector, finish(code), gramWeight);
    }
  }
}

/** One bit decides the sign: pieces that fall on the same place by chance cancel out as often as they add up. */
function add(vector: Float32Array, code: number, weight: number): void {
  const place = (code >>> 1) % vector.length;
  vector[place] = (vector[place] as number) + ((code & 1) === 0 ? weight : -weight);
}

/** FNV-1a with the last step of murmur3, whose low bits are good enough to count on. */
function hash(text: string, seed: number): number {
  let code = seed ^ 0x811c9dc5;
  for (let index = 0; index < text.length; index++) code = mix(code, text.charCodeAt(index));
  return finish(code);
}

function mix(code: number, unit: number): number {
  return Math.imul(code ^ unit, 0x01000193);
}

function finish(code: number): number {
  let mixed = code ^ (code >>> 16);
  mixed = Math.imul(mixed, 0x85ebca6b);
  mixed ^= mixed >>> 13;
  mixed = Math.imul(mixed, 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}

function normalize(vector: Float32Array): Float32Array {
  let sum = 0;
  for (const value of vector) sum += value * value;
  if (sum === 0) return vector;
  const scale = 1 / Math.sqrt(sum);
  for (let index = 0; index < vector.length; index++) vector[index] = (vector[index] as number) * scale;
  return vector;
}
