// Verifies logs in folders with Go's own packages for transparency logs, golang.org/x/mod/sumdb/note and tlog.
//
//	check KEYFILE FOLDER…
package main

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
)

func main() {
	if err := run(os.Args[1], os.Args[2:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

type head struct {
	size int64
	root tlog.Hash
}

func run(keyFile string, folders []string) error {
	key, err := os.ReadFile(keyFile)
	if err != nil {
		return err
	}
	verifier, err := note.NewVerifier(strings.TrimSpace(string(key)))
	if err != nil {
		return err
	}
	var earlier []head
	for _, folder := range folders {
		now, err := checkpoint(folder, verifier)
		if err != nil {
			return fmt.Errorf("%s: checkpoint: %w", folder, err)
		}
		if err := entries(folder, now); err != nil {
			return fmt.Errorf("%s: entries: %w", folder, err)
		}
		for _, old := range earlier {
			if old.size == 0 {
				continue
			}
			proof, err := tlog.ProveTree(now.size, old.size, hashes(folder, now))
			if err == nil {
				err = tlog.CheckTree(proof, now.size, now.root, old.size, old.root)
			}
			if err != nil {
				return fmt.Errorf("%s: consistency from %d: %w", folder, old.size, err)
			}
		}
		earlier = append(earlier, now)
		fmt.Printf("Go accepts the log of %d entries\n", now.size)
	}
	return nil
}

// checkpoint verifies the signature of the log; Go ignores the cosignature, whose type it does not know.
func checkpoint(folder string, verifier note.Verifier) (head, error) {
	signed, err := os.ReadFile(filepath.Join(folder, "checkpoint"))
	if err != nil {
		return head{}, err
	}
	opened, err := note.Open(signed, note.VerifierList(verifier))
	if err != nil {
		return head{}, err
	}
	lines := strings.Split(opened.Text, "\n")
	if lines[0] != verifier.Name() {
		return head{}, fmt.Errorf("the origin is %q", lines[0])
	}
	size, err := strconv.ParseInt(lines[1], 10, 64)
	if err != nil {
		return head{}, err
	}
	root, err := tlog.ParseHash(lines[2])
	return head{size, root}, err
}

// entries verifies the inclusion of the first, the last, and some other entries, from their bytes.
func entries(folder string, now head) error {
	for index := int64(0); index < now.size; index++ {
		if index%997 != 0 && index != 255 && index != 256 && index < now.size-2 {
			continue
		}
		entry, err := entry(folder, now.size, index)
		if err != nil {
			return err
		}
		leaf := tlog.RecordHash(entry)
		proof, err := tlog.ProveRecord(now.size, index, hashes(folder, now))
		if err == nil {
			err = tlog.CheckRecord(proof, now.size, now.root, index, leaf)
		}
		if err != nil {
			return fmt.Errorf("entry %d: %w", index, err)
		}
	}
	return nil
}

func entry(folder string, size, index int64) ([]byte, error) {
	tile := tlog.Tile{H: 8, L: -1, N: index / 256, W: int(min(256, size-index/256*256))}
	bundle, err := os.ReadFile(path(folder, tile))
	if err != nil {
		return nil, err
	}
	reader := bytes.NewReader(bundle)
	for skip := index % 256; ; skip-- {
		var length uint16
		if err := binary.Read(reader, binary.BigEndian, &length); err != nil {
			return nil, err
		}
		entry := make([]byte, length)
		if _, err := reader.Read(entry); err != nil {
			return nil, err
		}
		if skip == 0 {
			return entry, nil
		}
	}
}

// path maps the paths of sumdb, which name the height, to those of c2sp.org/tlog-tiles.
func path(folder string, tile tlog.Tile) string {
	path := strings.Replace(tile.Path(), "tile/8/data/", "tile/entries/", 1)
	return filepath.Join(folder, strings.Replace(path, "tile/8/", "tile/", 1))
}

type files string

// hashes reads hashes from tiles and authenticates each tile against the root.
func hashes(folder string, now head) tlog.HashReader {
	return tlog.TileHashReader(tlog.Tree{N: now.size, Hash: now.root}, files(folder))
}

func (files) Height() int { return 8 }

func (files) SaveTiles([]tlog.Tile, [][]byte) {}

func (folder files) ReadTiles(tiles []tlog.Tile) ([][]byte, error) {
	var data [][]byte
	for _, tile := range tiles {
		bytes, err := os.ReadFile(path(string(folder), tile))
		if err != nil {
			return nil, err
		}
		data = append(data, bytes)
	}
	return data, nil
}
