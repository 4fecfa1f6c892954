package frame

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"mime/multipart"
	"net/http"
	"net/url"
	"strings"

	"github.com/understudy-sandbox/understudy/emulator/api"
	"github.com/understudy-sandbox/understudy/emulator/internal/limits"
)

// Upload reads a form with a file, which it copies, and reports whether the user has chosen one.
func (x *Exchange) Upload(to io.Writer) (chosen bool, err error) {
	x.Request.Form = url.Values{}
	form, err := x.Request.MultipartReader()
	for err == nil {
		var part *multipart.Part
		if part, err = form.NextPart(); err != nil {
			break
		}
		switch name := part.FormName(); name {
		case "sure", "name":
			var text []byte
			text, err = io.ReadAll(io.LimitReader(part, 1<<10))
			x.Request.Form.Set(name, string(text))
		case "file":
			chosen = part.FileName() != ""
			_, err = io.Copy(to, part)
		}
	}
	tooLarge := (*http.MaxBytesError)(nil)
	switch {
	case err == io.EOF:
		return chosen, nil
	case errors.As(err, new(*fs.PathError)): // of the file that is written
		return false, limits.NoRoom(err)
	case errors.Is(err, http.ErrNotMultipart) || errors.Is(err, http.ErrMissingBoundary):
		return false, api.Because(http.StatusBadRequest, "The form has no file: choose one")
	case errors.As(err, &tooLarge):
		return false, api.Because(http.StatusRequestEntityTooLarge, fmt.Sprintf("The file is larger than %d MB", tooLarge.Limit>>20))
	}
	return false, api.Because(http.StatusBadRequest, "The file did not arrive whole: "+strings.TrimPrefix(err.Error(), "multipart: "))
}

// ErrNoFile is the refusal of a form whose file was not chosen.
var ErrNoFile = api.Because(http.StatusBadRequest, "No file was chosen: a snapshot is a file that was downloaded here")
