// Verifies a transparency log with the libraries of Go's checksum database, independently of the service.
//
// Usage: log-verifier URL API_KEY VERIFIER_KEY [FILE]...
//
//	log-verifier package FOLDER VERIFIER_KEY
//
// URL is the address of the log, such as http://127.0.0.1:8080/log/acme. Each file is an earlier checkpoint, which the
// log must continue, or a proof. Prints the size of the log.
//
// The second form verifies an unpacked audit package: that the key signed its checkpoint, that the checkpoint includes the
// entry of each record, that records and attached files match their entries, and that there are no other records or
// files. Prints what is not proven, and the number of verified records.
package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
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

// checkProof verifies the file of a proof. The function returns the entry with an index.
func checkProof(text string, verifiers note.Verifiers, entry func(index int64) []byte) error {
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
	return tlog.CheckRecord(proof, tree.N, tree.Hash, index, tlog.RecordHash(entry(index)))
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
			if err := checkProof(string(text), verifiers, func(index int64) []byte { return entries[index] }); err != nil {
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

// proven is a line of the files with proofs.
type proven struct{ Record, Random, Entry, Proof string }

// entry is the part of an entry of the log that is compared with files.
type entry struct {
	Sequence                   int64
	Kind, Document, Attachment string
}

// files lists the files below a folder of a package, by their paths in the package.
func files(root fs.FS, folder string) (map[string]bool, error) {
	found := map[string]bool{}
	err := fs.WalkDir(root, folder, func(path string, item fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err == nil && !item.IsDir() {
			found[path] = true
		}
		return err
	})
	return found, err
}

func digest(parts ...[]byte) string {
	return fmt.Sprintf("%x", sha256.Sum256(bytes.Join(parts, nil)))
}

// checkRecord verifies the proof of a record, and its files, which it removes from the lists.
func checkRecord(root fs.FS, line []byte, checkpoint string, verifiers note.Verifiers, records, attachments map[string]bool) error {
	var record proven
	var logged entry
	if err := json.Unmarshal(line, &record); err != nil {
		return err
	}
	if err := json.Unmarshal([]byte(record.Entry), &logged); err != nil {
		return err
	}
	if _, signed, _ := strings.Cut(record.Proof, "\n\n"); signed != checkpoint {
		return errors.New("the proof is for another checkpoint")
	}
	at := int64(-1)
	if err := checkProof(record.Proof, verifiers, func(index int64) []byte { at = index; return []byte(record.Entry) }); err != nil {
		return err
	}
	if at != logged.Sequence {
		return fmt.Errorf("the proof is about entry %d", at)
	}
	if record.Record == "" {
		fmt.Printf("entry %d: its record is withheld\n", logged.Sequence)
	} else {
		random, err := hex.DecodeString(record.Random)
		if err != nil {
			return err
		}
		document, err := fs.ReadFile(root, record.Record)
		if err != nil {
			return err
		}
		if digest(random, document) != logged.Document {
			return errors.New("the record is not what was recorded")
		}
		delete(records, record.Record)
	}
	attached := "attachments/" + logged.Attachment
	if logged.Attachment == "" || logged.Kind == "attachment removal" {
		return nil
	}
	content, err := fs.ReadFile(root, attached)
	if errors.Is(err, fs.ErrNotExist) {
		fmt.Printf("entry %d: %s is missing\n", logged.Sequence, attached)
		return nil
	}
	if err == nil && digest(content) != logged.Attachment {
		err = fmt.Errorf("%s is not what was attached", attached)
	}
	delete(attachments, attached)
	return err
}

func checkPackage(root fs.FS, key string) error {
	verifier, err := note.NewVerifier(key)
	if err != nil {
		return err
	}
	verifiers := note.VerifierList(verifier)
	checkpoint, err := fs.ReadFile(root, "checkpoint")
	if err != nil {
		return err
	}
	if _, err := open(checkpoint, verifiers); err != nil {
		return err
	}
	records, err := files(root, "records")
	if err != nil {
		return err
	}
	attachments, err := files(root, "attachments")
	if err != nil {
		return err
	}
	proofs, err := files(root, "proofs")
	if err != nil {
		return err
	}
	count, unentered := 0, 0
	for path := range proofs {
		lines, err := fs.ReadFile(root, path)
		if err != nil {
			return err
		}
		for _, line := range bytes.Split(bytes.TrimSpace(lines), []byte("\n")) {
			if err := checkRecord(root, line, string(checkpoint), verifiers, records, attachments); err != nil {
				return fmt.Errorf("%s: %w: %.200s", path, err, line)
			}
			count++
		}
	}
	for path := range records {
		if !strings.Contains(path, "/not-entered-") {
			return fmt.Errorf("%s: there is no proof of it", path)
		}
		fmt.Printf("%s is not in the log yet\n", path)
		unentered++
	}
	for path := range attachments {
		if unentered == 0 {
			return fmt.Errorf("%s: no record refers to it", path)
		}
		fmt.Printf("%s: no record of the log refers to it\n", path)
	}
	fmt.Println(count)
	return nil
}

func main() {
	if len(os.Args) == 4 && os.Args[1] == "package" {
		if err := checkPackage(os.DirFS(os.Args[2]), os.Args[3]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	if err := run(log{os.Args[1], os.Args[2]}, os.Args[3], os.Args[4:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
