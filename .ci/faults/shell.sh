# A client in a shell: curl or wget. It reads cases: a name, a method, a path, and yes where a connection is used twice.
command -v "$1" >/dev/null || { echo "$1 is not installed" >&2; exit 1; }
while read -r name method path reuse; do
	key="Authorization: Bearer svc_sk_test_$1-$name" body=$(mktemp)
	first=$UNDERSTUDY_URL/verification-requests/vr_completed
	[ "$reuse" = yes ] || first=
	if [ "$1" = curl ]; then
		[ "$method" = GET ] || data=(-d '{"cancellation_reason":"other"}' -H 'Content-Type: application/json')
		curl -s -m 2 -X "$method" -H "$key" "${data[@]}" ${first:+-o /dev/null "$first"} -o "$body" -w '%{http_code}' "$UNDERSTUDY_URL$path" >"$body.status"
	else
		[ "$method" = GET ] || data=(--method "$method" --body-data '{"cancellation_reason":"other"}' --header 'Content-Type: application/json')
		wget -q -T 2 -t 2 --header "$key" "${data[@]}" -O "$body" $first "$UNDERSTUDY_URL$path"
	fi
	code=$?
	if [ $code != 0 ]; then
		echo "$name exit code $code"
	else
		echo "$name $(tail -c 3 "$body.status" 2>/dev/null || echo 200)"
	fi
	rm -f "$body" "$body.status"
done
