package console

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/snapshot"
)

func showSnapshot(x *exchange) (answer, error) { return page{name: "snapshot", title: "Snapshot"}, nil }

// download is an answer that a browser saves as a file.
type download struct {
	name, contentType string
	text              []byte
}

func (d download) write(x *exchange) error {
	x.writer.Header().Set("Content-Disposition", `attachment; filename="`+d.name+`"`)
	x.send(http.StatusOK, d.contentType, d.text)
	return nil
}

// takeSnapshot hands out the whole world as a file.
func takeSnapshot(x *exchange) (answer, error) {
	taken, err := snapshot.Take(x.context(), x.world, x.Journal)
	if err != nil {
		return nil, err
	}
	text, err := api.Render(taken)
	if err != nil {
		return nil, err
	}
	name := fmt.Sprintf("understudy-%.8s-%s.json", x.world.ID, x.world.Now().UTC().Format("20060102T150405Z"))
	return download{name, "application/json", text}, nil
}

// restoreSnapshot makes the world what a file says.
func restoreSnapshot(x *exchange) (answer, error) {
	text, err := x.file("snapshot")
	if err != nil {
		return x.again(showSnapshot, err)
	}
	d, err := snapshot.Parse(text, x.Operations)
	if err == nil {
		err = snapshot.Restore(x.context(), x.world, x.Journal, d)
	}
	if err != nil {
		return x.again(showSnapshot, err)
	}
	return done(x.here(), "restored"), nil
}

// file returns the file that a form has under a name. Its error when there is none is an [*api.Error].
func (x *exchange) file(name string) ([]byte, error) {
	parts, err := x.request.MultipartReader()
	if err != nil {
		return nil, api.Because(http.StatusBadRequest, "The form has no file: choose one")
	}
	for {
		part, err := parts.NextPart()
		if errors.Is(err, io.EOF) || err == nil && part.FormName() == name && part.FileName() == "" {
			return nil, api.Because(http.StatusBadRequest, "No file was chosen: a snapshot is a JSON file that was downloaded here")
		}
		var text []byte
		if err == nil && part.FormName() == name {
			text, err = io.ReadAll(part)
		}
		if tooLarge := (*http.MaxBytesError)(nil); errors.As(err, &tooLarge) {
			return nil, api.Because(http.StatusRequestEntityTooLarge, fmt.Sprintf("The file is larger than %d MB", tooLarge.Limit>>20))
		}
		if err != nil {
			return nil, api.Because(http.StatusBadRequest, "The file did not arrive whole: "+strings.TrimPrefix(err.Error(), "multipart: "))
		}
		if text != nil {
			return text, nil
		}
	}
}
