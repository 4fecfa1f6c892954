package generate

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"strings"
	"sync"

	"github.com/understudy-sandbox/understudy/cmd/understudy/internal/command"
	"github.com/understudy-sandbox/understudy/emulator/api"
)

// batchSize is the number of documents that are generated in parallel.
const batchSize = 256

// print writes the documents in order. Its memory does not grow with their number. It ends early when ctx ends.
func (g generation) print(ctx context.Context, stdout, stderr io.Writer, documents generator) error {
	debug.SetGCPercent(400) // documents are garbage once they are written: little stays in memory
	out := bufio.NewWriterSize(stdout, 1<<20)
	show := g.progress(stderr)
	defer show(g.count)
	list := g.count > 1 && g.format == "json"
	if list {
		out.WriteString("[\n")
	}
	var texts [batchSize][]byte
	var errs [batchSize]error
	for first := 1; first <= g.count && ctx.Err() == nil; first += batchSize {
		size := min(batchSize, g.count-first+1)
		var working sync.WaitGroup
		for i := range size {
			working.Go(func() { texts[i], errs[i] = g.encode(documents(first+i), first+i) })
		}
		working.Wait()
		for i := range size {
			_, err := out.Write(texts[i])
			if err := errors.Join(errs[i], err); err != nil {
				return err
			}
		}
		show(first + size - 1)
	}
	if list {
		out.WriteString("]\n")
	}
	return errors.Join(out.Flush(), context.Cause(ctx))
}

// encode returns the text of document n, with what separates it from the next.
func (g generation) encode(document any, n int) ([]byte, error) {
	if g.format == "text" {
		text := readable(document)
		if n < g.count {
			text = append(text, strings.Repeat("=", pageWidth)+"\n"...)
		}
		return text, nil
	}
	line, err := api.Render(document)
	if err != nil || g.format == "ndjson" {
		return append(line, '\n'), err
	}
	prefix, end := "", "\n"
	if g.count > 1 {
		prefix = "  "
	}
	if n < g.count {
		end = ",\n"
	}
	text := bytes.NewBufferString(prefix)
	err = json.Indent(text, line, prefix, "  ")
	text.WriteString(end)
	return text.Bytes(), err
}

// progress returns a function that shows how many documents are written. It is silent unless there are many and stderr is a
// terminal.
func (g generation) progress(stderr io.Writer) func(written int) {
	if g.count < 10*batchSize || !command.IsTerminal(stderr) {
		return func(int) {}
	}
	return func(written int) {
		line := ""
		if written < g.count {
			line = fmt.Sprintf("%d of %d", written, g.count)
		}
		fmt.Fprint(stderr, "\r\x1b[K", line)
	}
}
