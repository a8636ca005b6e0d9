// Verifies a transparency log with the libraries of Go's own checksum database, as an outsider would.
//
// Usage: log-verifier URL API_KEY VERIFIER_KEY [FILE]...
//
// URL is that of the log, such as http://127.0.0.1:8080/log/acme. Each file is an earlier checkpoint, which the log must
// continue, or a proof. Prints the size of the log.
package main

import (
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"io"
	"net/http"
	"os"
	"strconv"
	"strings"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
)

const height = 8

type log struct{ url, key string }

func (l log) get(path string) ([]byte, error) {
	request, err := http.NewRequest("GET", l.url+"/"+path, nil)
	if err != nil {
		return nil, err
	}
	request.Header.Set("Authorization", "Bearer "+l.key)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	if response.StatusCode != 200 {
		return nil, fmt.Errorf("%s: %s", path, response.Status)
	}
	return io.ReadAll(response.Body)
}

func (l log) Height() int { return height }

// ReadTiles reads tiles by the paths of C2SP, which leave out the height.
func (l log) ReadTiles(tiles []tlog.Tile) ([][]byte, error) {
	var data [][]byte
	for _, tile := range tiles {
		bytes, err := l.get(strings.Replace(tile.Path(), "tile/8/", "tile/", 1))
		if err != nil {
			return nil, err
		}
		data = append(data, bytes)
	}
	return data, nil
}

func (l log) SaveTiles([]tlog.Tile, [][]byte) {}

// entries reads all entries from their bundles.
func (l log) entries(size int64) ([][]byte, error) {
	var all [][]byte
	for n := int64(0); n < size; n += 1 << height {
		tile := tlog.Tile{H: height, L: -1, N: n >> height, W: int(min(size-n, 1<<height))}
		bundle, err := l.get(strings.Replace(tile.Path(), "tile/8/data/", "tile/entries/", 1))
		if err != nil {
			return nil, err
		}
		for len(bundle) > 0 {
			length := 2 + int(binary.BigEndian.Uint16(bundle))
			all = append(all, bundle[2:length])
			bundle = bundle[length:]
		}
	}
	return all, nil
}

// open verifies the signature of a checkpoint.
func open(text []byte, verifiers note.Verifiers) (tlog.Tree, error) {
	opened, err := note.Open(text, verifiers)
	if err != nil {
		return tlog.Tree{}, err
	}
	lines := strings.Split(opened.Text, "\n")
	if len(lines) != 4 {
		return tlog.Tree{}, fmt.Errorf("a checkpoint has three lines, not %d", len(lines)-1)
	}
	size, err := strconv.ParseInt(lines[1], 10, 64)
	if err != nil {
		return tlog.Tree{}, err
	}
	hash, err := tlog.ParseHash(lines[2])
	return tlog.Tree{N: size, Hash: hash}, err
}

// checkProof verifies the file of a proof.
func checkProof(text string, verifiers note.Verifiers, entries [][]byte) error {
	head, checkpoint, _ := strings.Cut(text, "\n\n")
	lines := strings.Split(head, "\n")
	tree, err := open([]byte(checkpoint), verifiers)
	if err != nil {
		return err
	}
	index, err := strconv.ParseInt(strings.TrimPrefix(lines[1], "index "), 10, 64)
	if err != nil {
		return err
	}
	var proof tlog.RecordProof
	for _, line := range lines[2:] {
		bytes, err := base64.StdEncoding.DecodeString(line)
		if err != nil {
			return err
		}
		proof = append(proof, tlog.Hash(bytes))
	}
	return tlog.CheckRecord(proof, tree.N, tree.Hash, index, tlog.RecordHash(entries[index]))
}

func run(l log, key string, files []string) error {
	verifier, err := note.NewVerifier(key)
	if err != nil {
		return err
	}
	verifiers := note.VerifierList(verifier)
	checkpoint, err := l.get("checkpoint")
	if err != nil {
		return err
	}
	tree, err := open(checkpoint, verifiers)
	if err != nil {
		return err
	}
	entries, err := l.entries(tree.N)
	if err != nil {
		return err
	}
	hashes := tlog.TileHashReader(tree, l)
	for index, entry := range entries {
		proof, err := tlog.ProveRecord(tree.N, int64(index), hashes)
		if err != nil {
			return err
		}
		if err := tlog.CheckRecord(proof, tree.N, tree.Hash, int64(index), tlog.RecordHash(entry)); err != nil {
			return fmt.Errorf("entry %d: %w", index, err)
		}
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		if strings.HasPrefix(string(text), "c2sp.org/tlog-proof@v1\n") {
			if err := checkProof(string(text), verifiers, entries); err != nil {
				return fmt.Errorf("%s: %w", file, err)
			}
			continue
		}
		earlier, err := open(text, verifiers)
		if err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		proof, err := tlog.ProveTree(tree.N, earlier.N, hashes)
		if err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		if err := tlog.CheckTree(proof, tree.N, tree.Hash, earlier.N, earlier.Hash); err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
	}
	fmt.Println(tree.N)
	return nil
}

func main() {
	if err := run(log{os.Args[1], os.Args[2]}, os.Args[3], os.Args[4:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
