package console_test

import (
	"testing"

	"github.com/chromedp/chromedp"
)

func TestBrowserWorlds(t *testing.T) {
	tabs{
		"snapshot is restored into a new world": func(t *testing.T, b *tab) {
			b.open(prefix + "worlds")
			b.press("New world")
			value[any](b, `fetch("`+b.world+`/snapshot/file").then((r) => r.text()).then((text) => {
				const chosen = new DataTransfer();
				chosen.items.add(new File([text], "world.json"));
				document.querySelector(".new-world [type=file]").files = chosen.files;
			})`)
			b.fill(".new-world [name=name]", "payroll march")
			b.press("Create")
			b.until(`document.querySelector(".new-world [name=name]").validity.patternMismatch`)
			run(b, chromedp.SendKeys(chromedp.CSS(".new-world [name=name]"), "\b\b\b\b\b\b-2", chromedp.NodeVisible))
			b.follow("Create")
			b.reads(".notice", "World created. Its key: svc_sk_test_payroll-2")
			b.reads("main", "vr_lifecycle_timed")
			made := b.as("svc_sk_test_payroll-2")
			b.until(`location.pathname === "` + made + `"`)
			if key := value[string](b, `localStorage.getItem("understudy-key-" + document.body.dataset.world)`); key != "svc_sk_test_payroll-2" {
				t.Errorf("the browser keeps the key %q", key)
			}
			b.open(made + "?kind=tenant-properties")
			b.reads("pre", "Bearer svc_sk_test_payroll-2")
		},
	}.run(t)
}
