// A second verifier of evidence packs, by the words of README.txt in a pack: node verify.mjs PACK.zip
import { createHash, createPublicKey, verify } from "node:crypto";
import { readFileSync } from "node:fs";

const sha256 = (...parts) => parts.reduce((hash, part) => hash.update(part), createHash("sha256")).digest();
function fail(text) { console.log("NOT VERIFIED: " + text); process.exit(1); }

// members of a zip that holds them as they are, by its central directory (APPNOTE 4.3)
function unzipped(file) {
  const end = file.lastIndexOf(Buffer.from("PK\x05\x06", "latin1"));
  if (end < 0) fail("no zip");
  const members = new Map();
  let at = file.readUInt32LE(end + 16);
  for (let left = file.readUInt16LE(end + 10); left > 0; left--) {
    if (file.readUInt32LE(at) !== 0x02014b50 || file.readUInt16LE(at + 10) !== 0) fail("not stored as it is");
    const [size, name, extra, comment, local] = [
      file.readUInt32LE(at + 24), file.readUInt16LE(at + 28), file.readUInt16LE(at + 30), file.readUInt16LE(at + 32),
      file.readUInt32LE(at + 42),
    ];
    const key = file.toString("utf8", at + 46, at + 46 + name);
    const body = local + 30 + file.readUInt16LE(local + 26) + file.readUInt16LE(local + 28);
    if (members.has(key)) fail("twice: " + key);
    members.set(key, file.subarray(body, body + size));
    at += 46 + name + extra + comment;
  }
  return members;
}

function rootOf(leaves) {
  if (leaves.length === 1) return leaves[0];
  let cut = 1;
  while (cut * 2 < leaves.length) cut *= 2;
  return sha256(Buffer.from([1]), rootOf(leaves.slice(0, cut)), rootOf(leaves.slice(cut)));
}

// RFC 9162, 2.1.3.2, told anew: the path from the top tells on which side each hash stands
function rootBy(leaf, index, size, proof) {
  if (size === 1) return proof.length ? fail("proof too long") : leaf;
  if (!proof.length) fail("proof too short");
  let cut = 1;
  while (cut * 2 < size) cut *= 2;
  const [rest, last] = [proof.slice(0, -1), Buffer.from(proof[proof.length - 1], "hex")];
  return index < cut
    ? sha256(Buffer.from([1]), rootBy(leaf, index, cut, rest), last)
    : sha256(Buffer.from([1]), last, rootBy(leaf, index - cut, size - cut, rest));
}

const members = unzipped(readFileSync(process.argv[2]));
const outside = new Set(["SHA256SUMS", "root.txt", "signature.bin", "timestamp.tsr", "tree.json"]);
const names = [...members.keys()].filter((name) => !outside.has(name)).sort();
const tree = JSON.parse(members.get("tree.json"));
const leafOf = (name) => sha256(Buffer.from([0]), Buffer.from(name), Buffer.from([0]), members.get(name));
if (JSON.stringify(tree.members.map((row) => row.name)) !== JSON.stringify(names)) fail("other members");
const roots = new Set(tree.members.map((row) => rootBy(leafOf(row.name), row.index, tree.size, row.proof).toString("hex")));
if (names.length === tree.size) roots.add(rootOf(names.map(leafOf)).toString("hex"));
if (roots.size !== 1) fail("not one tree");
const [root] = roots;
const signed = members.get("root.txt");
if (signed.toString() !== `riskanalytics evidence pack 1\nmembers ${tree.size}\nroot ${root}\n`) fail("another root");
if (!verify(null, signed, createPublicKey(members.get("public_key.pem")), members.get("signature.bin"))) fail("signature");
for (const name of names.filter((one) => one.startsWith("findings/"))) {
  const target = JSON.parse(members.get(name)).target;
  const file = target.state.cached.replace("../", "");
  if (file !== `snapshots/${sha256(members.get(file)).toString("hex")}.txt`) fail("other bytes: " + file);
  const [words, place] = target.selector;
  const text = [...members.get(file).toString("utf8")];
  if (text.slice(place.start, place.end).join("") !== words.exact) fail("other words: " + name);
}
console.log(`verified: ${names.length} of ${tree.size} members, root ${root}`);
