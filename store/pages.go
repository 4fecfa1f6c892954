package store

import (
	"encoding/binary"
	"errors"
	"hash/fnv"
	"io"

	bolt "go.etcd.io/bbolt"
)

// The layout of a bbolt file, as far as it is read here: a page has its own number, what it is, how many elements it has
// and how many pages it goes on for; a header, of which there are two, has the transaction that wrote it, and a checksum.
const (
	pageHead    = 16
	headerSize  = 56 // of what the checksum of a header counts
	elementSize = 16

	branchPage   = 0x01
	leafPage     = 0x02
	freelistPage = 0x10
)

var (
	errHeader = errors.New("one of its two headers is damaged")
	errPages  = errors.New("its pages do not fit together")
)

// pages are those of a bbolt file that a transaction sees. bbolt follows them wherever they lead, in a circle too, which
// ends the process by an overflow of the stack that nothing recovers, and its own check does the same; and it writes to
// whatever its list of free pages names. So the tree is walked here before bbolt does: of a large file all but the leaves,
// which are most of it and lead nowhere.
type pages struct {
	file   io.ReaderAt
	size   int    // of a page
	whole  bool   // also leaves are read
	used   []bool // by number
	free   []bool // by number
	buffer []byte // for a page
}

// header is what is read of one of the two headers.
type header struct{ root, freelist, pages, transaction uint64 }

// checkPages returns what is wrong with the pages that tx sees.
func checkPages(file io.ReaderAt, tx *bolt.Tx, whole bool) error {
	size := tx.DB().Info().PageSize
	now, err := readHeaders(file, size)
	if err != nil {
		return err
	}
	if now.pages != uint64(tx.Size()/int64(size)) || now.transaction != uint64(tx.ID()) {
		return errHeader
	}
	p := pages{
		file: file, size: size, whole: whole,
		used: make([]bool, now.pages), free: make([]bool, now.pages), buffer: make([]byte, size),
	}
	if err := errors.Join(p.use(0, 0), p.use(1, 0), p.readFree(now.freelist), p.readRoot(now.root)); err != nil {
		return err
	}
	data := tx.Bucket(dataBucket)
	if data == nil || data.RootPage() == 0 { // what there is, is within the page of the buckets
		return p.account()
	}
	if err := p.walk(uint64(data.RootPage())); err != nil || !whole {
		return err
	}
	return p.account()
}

// readHeaders returns the header that counts, the later one. bbolt goes back to the other when that is damaged, and so
// would lose the last commit without a word. A crash leaves both whole: a disk writes the sector that a header is in, or not.
func readHeaders(file io.ReaderAt, size int) (now header, err error) {
	var both [2]header
	for i := range both {
		page := make([]byte, pageHead+headerSize+8)
		if _, err := file.ReadAt(page, int64(i*size)); err != nil {
			return header{}, err
		}
		text := page[pageHead:]
		sum := fnv.New64a()
		sum.Write(text[:headerSize])
		word := func(at int) uint64 { return binary.NativeEndian.Uint64(text[at:]) }
		if sum.Sum64() != word(headerSize) || word(48)%2 != uint64(i) {
			return header{}, errHeader
		}
		both[i] = header{root: word(16), freelist: word(32), pages: word(40), transaction: word(48)}
	}
	earlier, later := both[0], both[1]
	if earlier.transaction > later.transaction {
		earlier, later = later, earlier
	}
	if later.transaction != earlier.transaction+1 {
		return header{}, errHeader
	}
	return later, nil
}

// page is the head of a page, and what its elements are in.
type page struct {
	kind, count int
	overflow    uint64
	elements    []byte
}

// read reads a page, and the ones that it goes on for. What it returns is good until the next.
func (p *pages) read(id uint64, kinds int) (page, error) {
	if id < 2 || id >= uint64(len(p.used)) {
		return page{}, errPages
	}
	at := int64(id) * int64(p.size)
	text := p.buffer[:p.size]
	if _, err := p.file.ReadAt(text, at); err != nil {
		return page{}, err
	}
	found := page{
		kind:     int(binary.NativeEndian.Uint16(text[8:])),
		count:    int(binary.NativeEndian.Uint16(text[10:])),
		overflow: uint64(binary.NativeEndian.Uint32(text[12:])),
	}
	if binary.NativeEndian.Uint64(text) != id || found.kind&kinds == 0 || found.kind&(found.kind-1) != 0 || id+found.overflow >= uint64(len(p.used)) {
		return page{}, errPages
	}
	if found.overflow > 0 && found.kind != leafPage { // of a leaf nothing more is read here
		text = make([]byte, (int(found.overflow)+1)*p.size)
		if _, err := p.file.ReadAt(text, at); err != nil {
			return page{}, err
		}
	}
	found.elements = text[pageHead:]
	return found, nil
}

// use marks pages as used, which nothing else may use, and which are not free.
func (p *pages) use(id, overflow uint64) error {
	for n := id; n <= id+overflow; n++ {
		if n >= uint64(len(p.used)) || p.used[n] || p.free[n] {
			return errPages
		}
		p.used[n] = true
	}
	return nil
}

// readFree reads the list of free pages, which are in order.
func (p *pages) readFree(id uint64) error {
	list, err := p.read(id, freelistPage)
	if err != nil {
		return err
	}
	words, count := list.elements, uint64(list.count)
	if list.count == 0xFFFF { // there are more than a page's head can count
		count, words = binary.NativeEndian.Uint64(words), words[8:]
	}
	if count > uint64(len(words)/8) {
		return errPages
	}
	last := uint64(1) // of the headers
	for n := range count {
		free := binary.NativeEndian.Uint64(words[8*n:])
		if free <= last || free >= uint64(len(p.free)) {
			return errPages
		}
		p.free[free], last = true, free
	}
	return p.use(id, list.overflow)
}

// readRoot reads the page that has the buckets: there are two, so that it is a leaf.
func (p *pages) readRoot(id uint64) error {
	root, err := p.read(id, leafPage)
	if err != nil {
		return err
	}
	return p.use(id, root.overflow)
}

// walk reads a tree level by level: below the branches of one level all are branches, or all are leaves.
func (p *pages) walk(root uint64) error {
	for level := []uint64{root}; len(level) > 0; {
		var below []uint64
		kinds := branchPage | leafPage
		for _, id := range level {
			found := page{kind: leafPage}
			if kinds != leafPage || p.whole {
				var err error
				if found, err = p.read(id, kinds); err != nil {
					return err
				}
			}
			if err := p.use(id, found.overflow); err != nil {
				return err
			}
			if kinds = found.kind; kinds == leafPage {
				continue
			}
			children, err := found.children()
			if err != nil {
				return err
			}
			below = append(below, children...)
		}
		level = below
	}
	return nil
}

// children returns the pages below a branch, whose keys are within it.
func (p page) children() (ids []uint64, err error) {
	if p.count == 0 || p.count*elementSize > len(p.elements) {
		return nil, errPages
	}
	for n := range p.count {
		element := p.elements[n*elementSize:]
		key, size := uint64(binary.NativeEndian.Uint32(element)), uint64(binary.NativeEndian.Uint32(element[4:]))
		if key+size > uint64(len(element)) {
			return nil, errPages
		}
		ids = append(ids, binary.NativeEndian.Uint64(element[8:]))
	}
	return ids, nil
}

// account finds each page used or free.
func (p *pages) account() error {
	for n := range p.used {
		if !p.used[n] && !p.free[n] {
			return errPages
		}
	}
	return nil
}
