<?php
// The curl extension of PHP. See shell.sh for the cases.
while (($line = fgets(STDIN)) !== false) {
    [$name, $method, $path, $reuse] = explode(' ', trim($line));
    $curl = curl_init();
    $headers = ["Authorization: Bearer svc_sk_test_PHP-$name", 'Content-Type: application/json'];
    curl_setopt_array($curl, [CURLOPT_RETURNTRANSFER => true, CURLOPT_TIMEOUT => 2, CURLOPT_HTTPHEADER => $headers]);
    if ($reuse === 'yes') {
        curl_setopt($curl, CURLOPT_URL, getenv('UNDERSTUDY_URL') . '/verification-requests/vr_completed');
        curl_exec($curl);
    }
    curl_setopt_array($curl, [CURLOPT_URL => getenv('UNDERSTUDY_URL') . $path, CURLOPT_CUSTOMREQUEST => $method]);
    if ($method !== 'GET') {
        curl_setopt($curl, CURLOPT_POSTFIELDS, '{"cancellation_reason":"other"}');
    }
    curl_exec($curl);
    $error = curl_errno($curl);
    echo $name, ' ', $error ? "curl_errno $error" : curl_getinfo($curl, CURLINFO_RESPONSE_CODE), "\n";
}
