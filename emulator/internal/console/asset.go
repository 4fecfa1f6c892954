package console

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

func (s *shell) assetLink(name string) string { return prefix + "assets/" + s.version() + "/" + name }

// asset returns the text of a file that pages load.
func (s *shell) asset(name string) ([]byte, error) { return fs.ReadFile(s.assets, "assets/"+name) }

// content is the answer with a file, and one header beside its type.
type content struct {
	contentType, header, value string
	text                       []byte
}

func (c content) write(x *exchange) error {
	x.writer.Header().Set(c.header, c.value)
	x.send(http.StatusOK, c.contentType, c.text)
	return nil
}

// Asset returns a file that pages load, such as base.css.
func Asset(name string) ([]byte, error) { return assetFiles.ReadFile("assets/" + name) }

func showAsset(x *exchange) (answer, error) {
	name := strings.TrimPrefix(x.param("name"), "/")
	contentType := contentTypes[path.Ext(name)]
	text, err := x.asset(name)
	if err != nil || contentType == "" || x.param("version") != x.version() {
		return nil, api.Because(http.StatusNotFound, "There is no such file: reload the page that asks for it")
	}
	return content{contentType, "Cache-Control", "public, max-age=31536000, immutable", text}, nil
}
