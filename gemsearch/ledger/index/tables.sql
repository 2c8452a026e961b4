-- Segments: ranges of gems that are indexed. Gems in no segment are scanned plainly.
CREATE TABLE IF NOT EXISTS index_segments (
  id INTEGER PRIMARY KEY AUTOINCREMENT, -- number of the segment, never used twice
  first INTEGER NOT NULL, -- first gem of the range
  last INTEGER NOT NULL, -- last gem of the range
  gems INTEGER NOT NULL, -- gems in it
  classes BLOB NOT NULL, -- for each length of signature, ascending: length and bytes of a bitmap, two little-endian 32-bit numbers
  state TEXT NOT NULL CHECK (state IN ('building', 'ready', 'replaced')), -- only ready ones are read
  started INTEGER NOT NULL -- when its building began, Unix time
);

-- Which gem stands at which position of a segment: positions in order of signature length.
CREATE TABLE IF NOT EXISTS index_places (
  id INTEGER PRIMARY KEY, -- segment << 12 | block of 256 positions
  gems BLOB NOT NULL -- gem number minus the segment's first plus one, 0 for none: little-endian 32-bit numbers, then 0x5A
);

-- Characters of the signatures: one bitmap for each character and number of times it occurs.
CREATE TABLE IF NOT EXISTS index_bags (
  id INTEGER PRIMARY KEY, -- segment << 10 | character << 4 | times - 1
  bits BLOB NOT NULL -- one bit a position, lowest first, then 0x5A
);

-- Words of the signatures.
CREATE TABLE IF NOT EXISTS index_words (
  segment INTEGER NOT NULL, -- the segment
  word TEXT NOT NULL, -- the word
  led BLOB NOT NULL, -- gems of which it is the rarest word: position and a mask of their other words, little-endian 64-bit numbers
  others BLOB NOT NULL, -- positions of the other gems with this word: little-endian 32-bit numbers, or a bitmap where that is shorter; then 0x5A
  PRIMARY KEY (segment, word)
) WITHOUT ROWID;

-- Sources that very many gems of a segment have.
CREATE TABLE IF NOT EXISTS index_sources (
  segment INTEGER NOT NULL, -- the segment
  url_id INTEGER NOT NULL, -- the source; 0: gems with at most five sources
  bits BLOB NOT NULL, -- one bit a gem number, from the segment's first on, lowest first, then 0x5A
  PRIMARY KEY (segment, url_id)
);
