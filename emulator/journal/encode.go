package journal

import (
	"bytes"
	"compress/flate"
	"errors"
	"io"
	"sync"

	"github.com/go-json-experiment/json"
)

// An entry in a store is a byte with its form, and its JSON, compressed.
const entryForm = 2

// maxStored is how long the JSON of an entry may be, in bytes.
const maxStored = 192 << 10

// tooLarge is the diagnosis of an entry that is not stored whole.
const tooLarge = "the request and its answer are too large to be kept whole: the journal has neither its headers nor the bodies"

// compressors are large, and used for one entry after the other.
var compressors = sync.Pool{New: func() any {
	w, err := flate.NewWriter(nil, flate.BestSpeed)
	if err != nil {
		panic(err) // it fails for a level that does not exist
	}
	return w
}}

var decompressors = sync.Pool{New: func() any { return flate.NewReader(nil) }}

func encode(e *Entry) ([]byte, error) {
	text, err := e.MarshalJSON()
	if len(text) > maxStored {
		text, err = e.withoutBodies().MarshalJSON()
	}
	if err != nil {
		return nil, err
	}
	out := bytes.NewBuffer([]byte{entryForm})
	w := compressors.Get().(*flate.Writer)
	defer compressors.Put(w)
	w.Reset(out)
	_, err = w.Write(text)
	err = errors.Join(err, w.Close())
	return out.Bytes(), err
}

// withoutBodies returns what is stored of an entry that is too large.
func (e *Entry) withoutBodies() *Entry {
	short := *e
	short.Path, short.Query, short.Headers, short.Diagnosis = cutText(e.Path), cutText(e.Query), nil, []string{tooLarge}
	short.request = body{size: e.request.size, cut: e.request.size > 0}
	short.answer = body{size: e.answer.size, cut: e.answer.size > 0}
	return &short
}

func decode(value []byte) (*Entry, error) {
	if len(value) == 0 || value[0] != entryForm {
		return nil, errors.New("it has a form that this release does not read: use the release that wrote it, or clear the journal")
	}
	r := decompressors.Get().(io.ReadCloser)
	defer decompressors.Put(r)
	if err := r.(flate.Resetter).Reset(bytes.NewReader(value[1:]), nil); err != nil {
		return nil, err
	}
	var d document
	if err := json.UnmarshalRead(r, &d); err != nil {
		return nil, err
	}
	e := d.entry()
	e.request.redacted, e.answer.redacted = true, true
	return &e, nil
}
