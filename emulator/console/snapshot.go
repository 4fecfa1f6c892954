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

// restoreSnapshot makes the world what a file says, once who sends it knows what that replaces.
func restoreSnapshot(x *exchange) (answer, error) {
	form, err := x.upload("snapshot")
	if err == nil {
		err = form.check()
	}
	if err != nil {
		return x.again(showSnapshot, err)
	}
	d, err := snapshot.Parse(form.text, x.Operations)
	if err == nil {
		err = snapshot.Restore(x.context(), x.world, x.Journal, d)
	}
	if err != nil {
		return x.again(showSnapshot, err)
	}
	return done(x.here(), "restored"), nil
}

// upload is a form with a file.
type upload struct {
	text   []byte // of the file
	chosen bool   // there is one
	sure   bool   // its box is checked
}

// check returns what the form leaves out.
func (u upload) check() error {
	switch {
	case !u.chosen:
		return api.Because(http.StatusBadRequest, "No file was chosen: a snapshot is a JSON file that was downloaded here")
	case !u.sure:
		return api.Because(http.StatusBadRequest, "The file replaces everything in this world: check the box if that is meant")
	}
	return nil
}

// upload reads the form, and the file that it has under a name.
func (x *exchange) upload(name string) (form upload, err error) {
	parts, err := x.request.MultipartReader()
	if err != nil {
		return form, api.Because(http.StatusBadRequest, "The form has no file: choose one")
	}
	for {
		part, err := parts.NextPart()
		if errors.Is(err, io.EOF) {
			return form, nil
		}
		if err == nil && part.FormName() == name && part.FileName() != "" {
			form.chosen = true
			form.text, err = io.ReadAll(part)
		}
		if tooLarge := (*http.MaxBytesError)(nil); errors.As(err, &tooLarge) {
			return form, api.Because(http.StatusRequestEntityTooLarge, fmt.Sprintf("The file is larger than %d MB", tooLarge.Limit>>20))
		}
		if err != nil {
			return form, api.Because(http.StatusBadRequest, "The file did not arrive whole: "+strings.TrimPrefix(err.Error(), "multipart: "))
		}
		form.sure = form.sure || part.FormName() == "sure"
	}
}
