/** Names for agents whose makers gave none. */
const qualities = [
  "Attentive", "Brisk", "Candid", "Careful", "Cheerful", "Clever", "Curious", "Deft", "Eager", "Earnest", "Fearless",
  "Gentle", "Helpful", "Keen", "Lively", "Lucid", "Mellow", "Nimble", "Patient", "Quiet", "Ready", "Serene", "Steady",
  "Sunny", "Thoughtful", "Tidy", "Warm", "Wise", "Witty", "Zesty",
];

const bearers = [
  "Archivist", "Badger", "Beaver", "Chronicler", "Comet", "Crane", "Diarist", "Dolphin", "Elephant", "Falcon", "Finch",
  "Fox", "Heron", "Jay", "Keeper", "Lantern", "Librarian", "Lynx", "Magpie", "Narrator", "Nightingale", "Otter", "Owl",
  "Penguin", "Raven", "Robin", "Scribe", "Sparrow", "Squirrel", "Wren",
];

export function randomAgentName(random: () => number = Math.random): string {
  const pick = (words: readonly string[]) => words[Math.floor(random() * words.length)] ?? "Memoir";
  return `${pick(qualities)}${pick(bearers)}`;
}
