package frame

import (
	"crypto/sha256"
	"encoding/hex"
	"io/fs"
	"net/http"
	"path"
	"strings"

	"github.com/understudy-sandbox/understudy/emulator/api"
)

// contentTypes are the types of assets, by extension. Other files are not served.
var contentTypes = map[string]string{
	".css":   "text/css; charset=utf-8",
	".js":    "text/javascript; charset=utf-8",
	".svg":   "image/svg+xml",
	".woff2": "font/woff2",
}

// hashOfFiles returns a part of the paths of all assets that changes with them, so that browsers may cache them forever.
func hashOfFiles(files fs.FS) string {
	hash := sha256.New()
	fs.WalkDir(files, "assets", func(name string, _ fs.DirEntry, err error) error {
		text, _ := fs.ReadFile(files, name) // of a folder: nothing
		hash.Write([]byte(name))
		hash.Write(text)
		return err
	})
	return hex.EncodeToString(hash.Sum(nil)[:6])
}

func (s *Shell) assetLink(name string) string { return Prefix + "assets/" + s.version() + "/" + name }

// Asset returns the text of a file that pages load.
func (s *Shell) Asset(name string) ([]byte, error) { return fs.ReadFile(s.assets, "assets/"+name) }

// Content is the answer with a file, and one header beside its type.
type Content struct {
	ContentType, Header, Value string
	Text                       []byte
}

func (c Content) Respond(x *Exchange) error {
	x.Writer.Header().Set(c.Header, c.Value)
	x.send(http.StatusOK, c.ContentType, c.Text)
	return nil
}

func showAsset(x *Exchange) (Answer, error) {
	name := strings.TrimPrefix(x.Param("name"), "/")
	contentType := contentTypes[path.Ext(name)]
	text, err := x.Asset(name)
	if err != nil || contentType == "" || x.Param("version") != x.version() {
		return nil, api.Because(http.StatusNotFound, "There is no such file: reload the page that asks for it")
	}
	return Content{contentType, "Cache-Control", "public, max-age=31536000, immutable", text}, nil
}
