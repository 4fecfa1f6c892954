# Net::HTTP of Ruby. See shell.sh for the cases.
require "json"
require "net/http"

STDIN.each_line(chomp: true) do |line|
  name, method, path, reuse = line.split
  url = URI(ENV["UNDERSTUDY_URL"])
  headers = { "Authorization" => "Bearer svc_sk_test_Ruby-#{name}", "Content-Type" => "application/json" }
  begin
    Net::HTTP.start(url.host, url.port, read_timeout: 2) do |http|
      http.get("/verification-requests/vr_completed", headers) if reuse == "yes"
      body = '{"cancellation_reason":"other"}' unless method == "GET"
      answer = http.send_request(method, path, body, headers)
      JSON.parse(answer.body)
      puts "#{name} #{answer.code}"
    end
  rescue StandardError, Timeout::Error => e
    puts "#{name} #{e.class}"
  end
end
